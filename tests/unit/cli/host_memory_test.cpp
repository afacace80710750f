// A host without memory names what was being built, and other failures stay what they are.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/host_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace nfold::cli {
namespace {

TEST(HostMemory, NamesWhatWasBeingBuilt) {
  try {
    // Thrown, not met: sanitizers end a process that asks for too much.
    (void)with_host_memory("the topology of big.yaml", []() -> int { throw std::bad_alloc(); });
    FAIL() << "no exception";
  } catch (const HostMemoryError& error) {
    EXPECT_THAT(error.what(),
                testing::MatchesRegex("out of host memory while building the topology of big.yaml: "
                                      "[0-9.]+ [KMGT]iB of [0-9.]+ [KMGT]iB are free.*"));
  }
}

TEST(HostMemory, PassesOnResultsAndOtherFailures) {
  EXPECT_EQ(with_host_memory("nothing", [] { return 7; }), 7);
  EXPECT_THROW(with_host_memory("nothing", []() -> int { throw std::runtime_error("other"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nfold::cli
