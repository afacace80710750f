// Errors of exhausted host memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/host_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "comm/waiting.hpp"
#include "session/job/failure.hpp"

namespace nfold::job {
namespace {

TEST(HostMemory, ErrorNamesTheOperation) {
  try {
    // Throws instead of allocating, because sanitizers end a process that asks for too much.
    (void)with_host_memory("building the topology of big.yaml",
                           []() -> int { throw std::bad_alloc(); });
    FAIL() << "no exception";
  } catch (const core::Failure& error) {
    EXPECT_THAT(error.what(),
                testing::MatchesRegex("out of host memory while building the topology of big.yaml: "
                                      "[0-9.]+ [KMGT]iB of [0-9.]+ [KMGT]iB are free.*"));
  }
}

TEST(HostMemory, UncaughtBadAllocNamesThePhase) {
  comm::set_wait_phase("while results are gathered and written", 7);
  EXPECT_THAT(to_failure(std::bad_alloc()).what(),
              testing::StartsWith("out of host memory while results are gathered and written: "));
  comm::set_wait_phase("", -1);
  EXPECT_STREQ(to_failure(std::runtime_error("other")).what(), "other");
}

TEST(HostMemory, PassesResultsAndOtherErrors) {
  EXPECT_EQ(with_host_memory("nothing", [] { return 7; }), 7);
  EXPECT_THROW(with_host_memory("nothing", []() -> int { throw std::runtime_error("other"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nfold::job
