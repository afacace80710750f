// What is told at the end of a batch, by what was counted.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/ending.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nfold::batch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::vector<Withdrawn> one_withdrew{
    {{1, "n1", "GPU-8f3a", "silent error"}, "a silent error"}};

TEST(StatusAtEnd, IsDoneWithoutTheRankThatWithdrew) {
  const auto status = status_at_end({3, 3, 0, 0, false, false, ""}, one_withdrew);
  EXPECT_EQ(status.state, job::RunState::done);
  EXPECT_EQ(status.exit_code, job::ExitCode::done);
  EXPECT_EQ(status.reason,
            "all targets done; rank 1 (host n1, GPU GPU-8f3a) withdrew: a silent error");
  EXPECT_FALSE(status.suspect);
}

TEST(StatusAtEnd, NamesTheSuspectWhereNoRankIsLeft) {
  const auto status = status_at_end({3, 1, 0, 0, false, true, ""}, one_withdrew);
  EXPECT_EQ(status.state, job::RunState::failed);
  EXPECT_EQ(status.exit_code, job::ExitCode::failed);
  EXPECT_THAT(status.reason, HasSubstr("no rank is left for 2 of 3 targets"));
  ASSERT_TRUE(status.suspect);
  EXPECT_EQ(status.suspect->device, "GPU-8f3a");
}

TEST(StatusAtEnd, OfASignalTheSameCommandGoesOn) {
  const auto status = status_at_end({3, 1, 0, 0, true, true, ""}, one_withdrew);
  EXPECT_EQ(status.state, job::RunState::stopped);
  EXPECT_EQ(status.exit_code, job::ExitCode::stopped_early);
  EXPECT_THAT(status.reason, HasSubstr("stopped with 2 of 3 targets to do"));
}

TEST(StatusAtEnd, FailedTargetsAndThoseThatWaitArePartlyFailed) {
  EXPECT_THAT(status_at_end({3, 2, 1, 0, false, false, "failed.csv"}, {}).reason,
              EndsWith("1 of 3 targets failed, reasons in failed.csv"));
  EXPECT_EQ(status_at_end({3, 2, 1, 0, false, false, ""}, {}).exit_code,
            job::ExitCode::partly_failed);
  EXPECT_EQ(status_at_end({3, 2, 0, 1, false, false, ""}, {}).exit_code,
            job::ExitCode::partly_failed);
}

}  // namespace
}  // namespace nfold::batch
