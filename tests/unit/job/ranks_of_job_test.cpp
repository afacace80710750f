// Backends and source hashes of the programs of one job.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/version.hpp"
#include "session/job/backend_ranks.hpp"

namespace nfold::job {
namespace {

using estimate::Backend;
using testing::AllOf;
using testing::HasSubstr;

TEST(ThisBuild, HoldsSourceHash) { EXPECT_EQ(this_build().sources, core::source_hash); }

TEST(SourceMismatch, NamesFirstDifferingRank) {
  EXPECT_EQ(describe_source_mismatch({{Backend::gpu, "1a"}}), "");
  EXPECT_EQ(describe_source_mismatch({{Backend::gpu, "1a"}, {Backend::cpu, "1a"}}), "");
  EXPECT_THAT(
      describe_source_mismatch({{Backend::gpu, "1a"}, {Backend::gpu, "1a"}, {Backend::cpu, "2b"}}),
      AllOf(HasSubstr("rank 0 is of sources 1a (gpu build)"),
            HasSubstr("rank 2 of 2b (cpu build)")));
}

TEST(SourceHash, HasSixteenHexDigits) {
  const std::string hash = core::source_hash;
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(BackendRanks, SingleRankIsAWholeJob) {
  BackendRanks job(comm::Communicator(), {Backend::gpu, "1a"});
  EXPECT_EQ(job.space(), Backend::gpu);
  EXPECT_TRUE(job.has(Backend::gpu));
  EXPECT_FALSE(job.has(Backend::cpu));
  EXPECT_FALSE(job.has_both());
  EXPECT_EQ(job.describe(), "1 GPU rank");
  job.count_threads(comm::Communicator(), 7);
  EXPECT_EQ(job.ranks().cpu_threads, 0);
}

}  // namespace
}  // namespace nfold::job
