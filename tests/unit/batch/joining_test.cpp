// Decision which idle ranks join a target.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <cmath>

#include "batch/joining_decision.hpp"

namespace nfold::batch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Run with `seconds` left on `ranks` ranks that scales ideally.
job::RemainingRun remaining_run(double seconds, double restart_seconds, int ranks = 1) {
  return {seconds, restart_seconds, [=](int new_ranks) { return seconds * ranks / new_ranks; }};
}

TEST(DecideJoining, JoinsIfGainExceedsRestart) {
  const auto decision = decide_joining(remaining_run(60, 2), 1, 100, 3);
  EXPECT_EQ(decision.joining, 3);
  EXPECT_EQ(decision.reason, "60 s left on 1 rank, predicted 15 s on 4; the restart takes 2 s");
}

TEST(DecideJoining, StaysIdleIfGainIsTooSmall) {
  // The gain is half of 4 s; a restart of 1.4 s needs a gain of 2.1 s.
  const auto decision = decide_joining(remaining_run(4, 1.4), 1, 100, 1);
  EXPECT_EQ(decision.joining, 0);
  EXPECT_THAT(decision.reason, HasSubstr("don't join: 4 s left on 1 rank, predicted 2 s on 2"));
  EXPECT_EQ(decide_joining(remaining_run(4, 1.3), 1, 100, 1).joining, 1);
  // A gain of a sixteenth is too small at any cost of the restart.
  EXPECT_EQ(decide_joining(remaining_run(1000, 0.1, 15), 15, 100, 1).joining, 0);
  EXPECT_EQ(decide_joining(remaining_run(1000, 0.1, 8), 8, 100, 1).joining, 1);
}

TEST(DecideJoining, IsLimitedByUsableRanks) {
  EXPECT_EQ(decide_joining(remaining_run(60, 2), 1, 3, 7).joining, 2);
  const auto full = decide_joining(remaining_run(60, 2, 3), 3, 3, 7);
  EXPECT_EQ(full.joining, 0);
  EXPECT_THAT(full.reason, IsEmpty());
  EXPECT_THAT(decide_joining(remaining_run(60, 2), 1, 100, 0).reason, IsEmpty());
}

TEST(DecideJoining, IsLimitedByRanksThatHelp) {
  // 8 replicas in groups of 4: 3 ranks take as long as 2.
  const auto in_groups = [](int ranks) { return 30 * std::ceil(8.0 / ranks / 4); };
  EXPECT_EQ(decide_joining({60, 1, in_groups}, 1, 8, 5).joining, 1);
  // A target that does not fill one GPU is no faster on two.
  EXPECT_EQ(decide_joining({60, 1, [](int) { return 60.0; }}, 1, 8, 5).joining, 0);
}

TEST(FairPart, GoesToLongestWork) {
  const std::vector<comm::OpenWork> open_work{{90'000, 1, 100}, {}, {40'000, 1, 100}, {}};
  // 90 becomes 45 on two ranks and 30 on three; then 40 is the longest.
  EXPECT_EQ(fair_part(open_work, 0, 2), 2);
  EXPECT_EQ(fair_part(open_work, 2, 2), 0);
  EXPECT_EQ(fair_part(open_work, 0, 3), 2);
  EXPECT_EQ(fair_part(open_work, 2, 3), 1);
}

TEST(FairPart, SkipsWorkWithAllUsableRanks) {
  const std::vector<comm::OpenWork> open_work{{90'000, 2, 2}, {40'000, 1, 2}};
  EXPECT_EQ(fair_part(open_work, 0, 4), 0);
  EXPECT_EQ(fair_part(open_work, 1, 4), 1);
}

TEST(WithExclusiveDevice, ExcludesRanksSharingGpu) {
  const std::vector<std::string> gpus{"A", "A", "B", "B", "C", "D"};
  const std::vector<int> idle{1, 2, 3, 5}, members{0, 4};
  EXPECT_THAT(with_exclusive_device(idle, members, gpus), ElementsAre(2, 5));
  const std::vector<std::string> processors(6);
  EXPECT_THAT(with_exclusive_device(idle, members, processors), ElementsAre(1, 2, 3, 5));
}

TEST(NearestFirst, PrefersNodeOfCaller) {
  const std::vector<int> nodes{0, 0, 0, 3, 3, 3, 6, 6, 6};
  const std::vector<int> idle{1, 4, 6, 7, 8};
  EXPECT_THAT(nearest_first(idle, nodes, 5), ElementsAre(4, 6, 7, 8, 1));
  EXPECT_THAT(nearest_first(idle, nodes, 0), ElementsAre(1, 6, 7, 8, 4));
  EXPECT_THAT(nearest_first({}, nodes, 0), IsEmpty());
}

}  // namespace
}  // namespace nfold::batch
