// Decisions after failures, from hand-made histories.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/retry_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nfold::supervise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using What = Decision::What;

Incident failure(core::Outcome outcome, const core::Suspect& suspect, std::int64_t step,
                 const std::string& details) {
  Incident one;
  one.outcome = outcome;
  one.suspect = suspect;
  one.step = step;
  one.details = details;
  return one;
}
Incident crash(std::int64_t step, const std::string& device = "", const std::string& host = "") {
  return failure(core::Outcome::crash, {1, host, device}, step, "rank 1 died");
}
Incident explosion(std::int64_t step) {
  return failure(core::Outcome::explosion, {}, step, "explodes in step " + std::to_string(step));
}

TEST(RetryPolicy, PausesGrowUntilTheEnd) {
  std::vector<Incident> history;
  std::vector<double> pauses;
  for (int k = 0; k < 3; ++k) {
    history.push_back(crash(100));
    const auto decision = decide(history, {}, {3, 2.0});
    ASSERT_EQ(decision.what, What::go_on) << k;
    pauses.push_back(decision.pause_seconds);
  }
  EXPECT_THAT(pauses, ElementsAre(2, 4, 8));
  history.push_back(crash(100));
  const auto last = decide(history, {}, {3, 2.0});
  EXPECT_EQ(last.what, What::end);
}

TEST(RetryPolicy, PauseHasAnUpperLimit) {
  const std::vector<Incident> history(20, crash(1));
  EXPECT_EQ(decide(history, {}, {100, 1.0}).pause_seconds, longest_pause_seconds);
}

TEST(RetryPolicy, ProgressResetsTheCount) {
  std::vector<Incident> history;
  for (int k = 1; k <= 30; ++k) {
    history.push_back(crash(std::int64_t{100} * k));
    const auto decision = decide(history, {}, {1, 1.0});
    ASSERT_EQ(decision.what, What::go_on);
    ASSERT_EQ(decision.pause_seconds, 1);
  }
  // Failing earlier than before, or at the same step, is no progress.
  history.push_back(crash(50));
  EXPECT_EQ(failures_without_progress(history), 2);
  history.push_back(crash(3000));
  EXPECT_EQ(failures_without_progress(history), 3);
}

TEST(RetryPolicy, ZeroRetriesEndAtOnce) {
  EXPECT_EQ(decide(std::vector{crash(100)}, {}, {0, 1.0}).what, What::end);
}

TEST(RetryPolicy, RepeatedExplosionAtOneStepEnds) {
  EXPECT_EQ(decide(std::vector{explosion(7)}, {}, {}).what, What::go_on);
  const auto again = decide(std::vector{explosion(7), explosion(7)}, {}, {});
  EXPECT_EQ(again.what, What::end);
  EXPECT_THAT(again.why, HasSubstr("the input, not the machine"));
  EXPECT_EQ(decide(std::vector{explosion(7), explosion(9)}, {}, {}).what, What::go_on);
  EXPECT_EQ(decide(std::vector{explosion(7), crash(7), explosion(7)}, {}, {}).what, What::go_on);
}

TEST(RetryPolicy, MemoryErrorIsRetriedOnce) {
  const auto memory = failure(core::Outcome::memory, {}, 0, "out of GPU memory");
  EXPECT_EQ(decide(std::vector{memory}, {}, {}).what, What::go_on);
  const auto again = decide(std::vector{memory, memory}, {}, {});
  EXPECT_EQ(again.what, What::end);
  EXPECT_THAT(again.why, HasSubstr("more GPUs"));
}

TEST(RetryPolicy, UnfitDevicesAreExcluded) {
  MachineState machine;
  machine.fit_devices = 3;
  machine.unfit = {"GPU-2"};
  const auto decision = decide(std::vector{crash(10)}, machine, {});
  EXPECT_EQ(decision.what, What::go_on);
  EXPECT_THAT(decision.leave.devices, ElementsAre("GPU-2"));
}

TEST(RetryPolicy, DeviceIsExcludedAfterTwoFailures) {
  MachineState machine;
  machine.fit_devices = 2;
  EXPECT_THAT(decide(std::vector{crash(10, "GPU-1")}, machine, {}).leave.devices, IsEmpty());
  EXPECT_THAT(
      decide(std::vector{crash(10, "GPU-1"), crash(20, "GPU-1")}, machine, {}).leave.devices,
      ElementsAre("GPU-1"));
  EXPECT_THAT(
      decide(std::vector{crash(10, "GPU-1"), crash(20, "GPU-2")}, machine, {}).leave.devices,
      IsEmpty());
  const auto silent =
      failure(core::Outcome::silent_error, {1, "n1", "GPU-1"}, 10, "a block differs");
  EXPECT_THAT(decide(std::vector{silent}, machine, {}).leave.devices, ElementsAre("GPU-1"));
  // The only device is never excluded.
  machine.fit_devices = 1;
  EXPECT_THAT(decide(std::vector{silent}, machine, {}).leave.devices, IsEmpty());
}

TEST(RetryPolicy, LostNodeIsExcludedOrRequeued) {
  const auto lost =
      failure(core::Outcome::lost_node, {std::nullopt, "n2", ""}, 10, "does not answer");
  MachineState machine;
  machine.nodes = 3;
  const auto here = decide(std::vector{lost}, machine, {});
  EXPECT_EQ(here.what, What::go_on);
  EXPECT_THAT(here.leave.hosts, ElementsAre("n2"));
  machine.can_requeue = true;
  const auto again = decide(std::vector{lost}, machine, {});
  EXPECT_EQ(again.what, What::requeue);
  EXPECT_THAT(again.leave.hosts, ElementsAre("n2"));
  // A rank that died once is no reason to change nodes.
  EXPECT_EQ(decide(std::vector{crash(10, "", "n2")}, machine, {}).what, What::go_on);
  EXPECT_EQ(decide(std::vector{crash(10, "", "n2"), crash(20, "", "n2")}, machine, {}).what,
            What::requeue);
}

TEST(RetryPolicy, UnfitGpuExcludesItsNode) {
  MachineState machine;
  machine.nodes = 2;
  machine.can_requeue = true;
  machine.fit_devices = 7;
  machine.unfit = {"GPU-2"};
  machine.sick_hosts = {"n1"};
  const auto decision = decide(std::vector{crash(10)}, machine, {});
  EXPECT_EQ(decision.what, What::requeue);
  EXPECT_THAT(decision.leave.hosts, ElementsAre("n1"));
}

TEST(RetryPolicy, RefusedStartIsNotRetried) {
  const auto refused = failure(core::Outcome::not_started, {}, 0, "not enough slots");
  EXPECT_EQ(decide(std::vector{refused}, {}, {}).what, What::end);
}

TEST(RetryPolicy, DamagedCheckpointIsNotRetried) {
  const auto damaged = failure(core::Outcome::damage, {}, 400, "no checkpoint can be read");
  EXPECT_EQ(decide(std::vector{damaged}, {}, {}).what, What::end);
}

}  // namespace
}  // namespace nfold::supervise
