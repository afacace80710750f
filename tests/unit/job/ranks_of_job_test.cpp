// Programs of one job: where each computes, and whether they are of the same sources.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/ranks_of_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "job/version.hpp"

namespace nfold::job {
namespace {

using plan::Space;
using testing::AllOf;
using testing::HasSubstr;

TEST(ThisBuild, IsOfTheseSources) { EXPECT_EQ(this_build().sources, source_hash); }

TEST(UnlikeSources, NamesTheFirstRankThatDiffers) {
  EXPECT_EQ(unlike_sources({{Space::gpu, "1a"}}), "");
  EXPECT_EQ(unlike_sources({{Space::gpu, "1a"}, {Space::cpu, "1a"}}), "");
  EXPECT_THAT(unlike_sources({{Space::gpu, "1a"}, {Space::gpu, "1a"}, {Space::cpu, "2b"}}),
              AllOf(HasSubstr("rank 0 is of sources 1a (gpu build)"),
                    HasSubstr("rank 2 of 2b (cpu build)")));
}

TEST(SourceHash, IsAHash) {
  const std::string hash = source_hash;
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(RanksOfJob, OneRankIsAWholeJob) {
  RanksOfJob job(comm::Communicator(), {Space::gpu, "1a"});
  EXPECT_EQ(job.space(), Space::gpu);
  EXPECT_TRUE(job.has(Space::gpu));
  EXPECT_FALSE(job.has(Space::cpu));
  EXPECT_FALSE(job.has_both());
  EXPECT_EQ(job.in_words(), "1 GPU rank");
  job.count_threads(comm::Communicator(), 7);
  EXPECT_EQ(job.ranks().cpu_threads, 0);
}

}  // namespace
}  // namespace nfold::job
