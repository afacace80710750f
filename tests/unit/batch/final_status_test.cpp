// Final status of a batch from its counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/final_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nfold::batch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::vector<core::Failure> one_withdrew{
    core::Failure("a silent error", core::Outcome::silent_error, core::Reach::all_ranks,
                  core::Suspect{1, "n1", "GPU-8f3a"})};

TEST(FinalStatus, IsDoneDespiteWithdrawnRank) {
  const auto status = final_status({3, 3, 0, 0, false, false, ""}, one_withdrew);
  EXPECT_EQ(status.outcome, core::Outcome::done);
  EXPECT_EQ(status.reason,
            "all targets done; rank 1 (host n1, GPU GPU-8f3a) withdrew: a silent error");
  EXPECT_FALSE(status.suspect);
}

TEST(FinalStatus, NamesSuspectIfNoRankIsLeft) {
  const auto status = final_status({3, 1, 0, 0, false, true, ""}, one_withdrew);
  EXPECT_EQ(status.outcome, core::Outcome::silent_error);
  EXPECT_THAT(status.reason, HasSubstr("no rank is left for 2 of 3 targets"));
  ASSERT_TRUE(status.suspect);
  EXPECT_EQ(status.suspect->device, "GPU-8f3a");
}

TEST(FinalStatus, SignalLeavesBatchResumable) {
  const auto status = final_status({3, 1, 0, 0, true, true, ""}, one_withdrew);
  EXPECT_EQ(status.outcome, core::Outcome::stopped);
  EXPECT_THAT(status.reason, HasSubstr("stopped with 2 of 3 targets to do"));
}

TEST(FinalStatus, FailedOrWaitingTargetsArePartialFailure) {
  EXPECT_THAT(final_status({3, 2, 1, 0, false, false, "failed.csv"}, {}).reason,
              EndsWith("1 of 3 targets failed, reasons in failed.csv"));
  EXPECT_EQ(final_status({3, 2, 1, 0, false, false, ""}, {}).outcome, core::Outcome::partly_failed);
  EXPECT_EQ(final_status({3, 2, 0, 1, false, false, ""}, {}).outcome, core::Outcome::incomplete);
}

}  // namespace
}  // namespace nfold::batch
