// Queues and shares of ranks, and the space that a target's folder keeps.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "batch/target_space.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using plan::Space;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PlannedTarget target(Space space, double seconds, std::int64_t replicas = 1) {
  PlannedTarget planned;
  planned.decision.space = space;
  planned.decision.cpu_seconds = space == Space::cpu ? seconds : 1e9;
  planned.decision.gpu_seconds = space == Space::gpu ? seconds : 1e9;
  planned.decision.reason = "so";
  planned.size.work.parts.push_back({replicas});
  planned.size.work.residues = 76;
  planned.seconds = plan::SecondsByRanks(plan::usable_ranks(planned.size.work, 1000),
                                         [=](int ranks) { return seconds / ranks; });
  return planned;
}

TEST(QueueOf, HasTheDearestOfItsSpaceFirst) {
  std::vector<PlannedTarget> targets{target(Space::cpu, 1), target(Space::gpu, 5),
                                     target(Space::cpu, 3), target(Space::gpu, 7),
                                     target(Space::cpu, 3)};
  EXPECT_THAT(queue_of(targets, Standing::missing, Space::cpu), ElementsAre(2, 4, 0));
  EXPECT_THAT(queue_of(targets, Standing::missing, Space::gpu), ElementsAre(3, 1));
  EXPECT_THAT(queue_of(targets, Standing::suspect, Space::gpu), IsEmpty());
  targets[3].standing = Standing::suspect;
  targets[4].standing = Standing::waiting;
  EXPECT_THAT(queue_of(targets, Standing::missing, Space::gpu), ElementsAre(1));
  EXPECT_THAT(queue_of(targets, Standing::suspect, Space::gpu), ElementsAre(3));
  EXPECT_THAT(queue_of(targets, Standing::missing, Space::cpu), ElementsAre(2, 0));
}

TEST(RanksOfEach, AreSeveralWhereTheListEndsSoonerByThat) {
  const std::vector<PlannedTarget> targets{target(Space::cpu, 16, 100), target(Space::cpu, 1, 100),
                                           target(Space::cpu, 1, 100), target(Space::cpu, 2, 1)};
  EXPECT_THAT(ranks_of_each(targets, {0, 3, 1, 2}, 4), ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(ranks_of_each(targets, {2, 1, 3, 0}, 4), ElementsAre(1, 1, 1, 3))
      << "in whatever order they are drawn";
  EXPECT_THAT(ranks_of_each(targets, {0}, 4), ElementsAre(4));
  EXPECT_THAT(ranks_of_each(targets, {3}, 4), ElementsAre(1)) << "one trajectory of 76 residues";
  EXPECT_THAT(ranks_of_each(targets, {}, 4), IsEmpty());
}

double end_of(const std::vector<PlannedTarget>& targets, const std::vector<std::size_t>& queue,
              int ranks) {
  double end = 0;
  for (const auto& one : schedule(targets, queue, ranks)) end = std::max(end, one.end);
  return end;
}

TEST(Schedule, GivesEachTargetToWhoIsFreeFirst) {
  const std::vector<PlannedTarget> targets{target(Space::cpu, 5), target(Space::cpu, 2),
                                           target(Space::cpu, 4), target(Space::cpu, 20, 100)};
  const auto told = schedule(targets, {0, 1, 2, 3}, 2);
  ASSERT_EQ(told.size(), 4U);
  EXPECT_DOUBLE_EQ(told[1].end, 2);
  EXPECT_DOUBLE_EQ(told[2].begin, 2);
  // For both ranks: the first that comes waits.
  EXPECT_DOUBLE_EQ(told[3].begin, 6);
  EXPECT_DOUBLE_EQ(told[3].end, 16);
}

TEST(ShortFirst, NoShortTargetWaitsBehindALongOne) {
  // As two ranks met in an issue: two of 10 s and two of 300 s.
  const std::vector<PlannedTarget> targets{target(Space::gpu, 300), target(Space::gpu, 10),
                                           target(Space::gpu, 300), target(Space::gpu, 10)};
  const auto longest_first = queue_of(targets, Standing::missing, Space::gpu);
  EXPECT_THAT(longest_first, ElementsAre(0, 2, 1, 3));
  EXPECT_DOUBLE_EQ(schedule(targets, longest_first, 2)[2].end, 310);
  const auto queue = short_first(targets, longest_first, 2);
  EXPECT_THAT(queue, ElementsAre(1, 3, 0, 2));
  EXPECT_DOUBLE_EQ(schedule(targets, queue, 2)[1].end, 10);
  EXPECT_DOUBLE_EQ(end_of(targets, queue, 2), end_of(targets, longest_first, 2));
}

TEST(ShortFirst, DelaysTheEndByATwentiethAtMost) {
  // A hundred short ones would keep the long one waiting for 500 s.
  std::vector<PlannedTarget> targets{target(Space::gpu, 600)};
  for (int k = 0; k < 100; ++k) targets.push_back(target(Space::gpu, 10));
  const auto longest_first = queue_of(targets, Standing::missing, Space::gpu);
  const auto queue = short_first(targets, longest_first, 2);
  const double best = end_of(targets, longest_first, 2);
  EXPECT_LE(end_of(targets, queue, 2), 1.05 * best);
  std::vector<std::size_t> sorted(queue);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(sorted[k], k);
  // Some are done before the long one begins, the others beside it.
  EXPECT_NE(queue.front(), 0U);
  EXPECT_DOUBLE_EQ(schedule(targets, queue, 2).front().end, 10);
  // One rank ends when it ends: then all of them come first.
  EXPECT_EQ(short_first(targets, longest_first, 1).back(), 0U);
}

TEST(ShortFirst, KeepsTheOrderOfTheListAmongEquals) {
  const std::vector<PlannedTarget> targets{target(Space::cpu, 3), target(Space::cpu, 3),
                                           target(Space::cpu, 3)};
  EXPECT_THAT(short_first(targets, {0, 1, 2}, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(short_first(targets, {}, 2), IsEmpty());
}

TEST(KeptSpace, IsWhatWasDecidedFirst) {
  const test::TemporaryFolder temporary;
  const BatchFolder folder{temporary.path()};
  std::filesystem::create_directory(folder.of("a"));
  EXPECT_FALSE(kept_space(folder, "a").has_value());
  keep_space(folder, "a", target(Space::gpu, 2.5).decision);
  EXPECT_EQ(kept_space(folder, "a"), Space::gpu);
  const auto text = test::read_file(folder.space("a"));
  EXPECT_THAT(text, HasSubstr("predicted_gpu_seconds: 2.5\n"));
  EXPECT_THAT(text, HasSubstr("reason: \"so\"\n"));
  keep_space(folder, "a", target(Space::cpu, 1).decision);
  EXPECT_EQ(test::read_file(folder.space("a")), text);
}

}  // namespace
}  // namespace nfold::batch
