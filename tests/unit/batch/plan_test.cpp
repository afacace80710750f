// Queues and ranks of targets, and the backend recorded in a target's folder.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "batch/target_files.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using estimate::Backend;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PlannedTarget target(Backend backend, double seconds, std::int64_t replicas = 1) {
  PlannedTarget planned;
  planned.decision.space = backend;
  planned.decision.cpu_seconds = backend == Backend::cpu ? seconds : 1e9;
  planned.decision.gpu_seconds = backend == Backend::gpu ? seconds : 1e9;
  planned.decision.reason = "so";
  planned.size.work.parts.push_back({replicas});
  planned.size.work.residues = 76;
  planned.listed.seconds = estimate::SecondsByRanks(estimate::usable_ranks(planned.size.work, 1000),
                                                    [=](int ranks) { return seconds / ranks; });
  return planned;
}

TEST(MakeQueue, PutsCostliestOfBackendFirst) {
  std::vector<PlannedTarget> targets{target(Backend::cpu, 1), target(Backend::gpu, 5),
                                     target(Backend::cpu, 3), target(Backend::gpu, 7),
                                     target(Backend::cpu, 3)};
  EXPECT_THAT(make_queue(targets, TargetStatus::missing, Backend::cpu), ElementsAre(2, 4, 0));
  EXPECT_THAT(make_queue(targets, TargetStatus::missing, Backend::gpu), ElementsAre(3, 1));
  EXPECT_THAT(make_queue(targets, TargetStatus::suspect, Backend::gpu), IsEmpty());
  targets[3].status = TargetStatus::suspect;
  targets[4].status = TargetStatus::waiting;
  EXPECT_THAT(make_queue(targets, TargetStatus::missing, Backend::gpu), ElementsAre(1));
  EXPECT_THAT(make_queue(targets, TargetStatus::suspect, Backend::gpu), ElementsAre(3));
  EXPECT_THAT(make_queue(targets, TargetStatus::missing, Backend::cpu), ElementsAre(2, 0));
}

TEST(RanksPerTarget, ExceedOneIfListEndsSooner) {
  const std::vector<PlannedTarget> targets{
      target(Backend::cpu, 16, 100), target(Backend::cpu, 1, 100), target(Backend::cpu, 1, 100),
      target(Backend::cpu, 2, 1)};
  EXPECT_THAT(ranks_per_target(targets, {0, 3, 1, 2}, 4, 1), ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(ranks_per_target(targets, {2, 1, 3, 0}, 4, 1), ElementsAre(3, 1, 1, 1))
      << "in whatever order they are drawn";
  EXPECT_THAT(ranks_per_target(targets, {0}, 4, 1), ElementsAre(4, 1, 1, 1));
  EXPECT_THAT(ranks_per_target(targets, {3}, 4, 1), Each(1)) << "one trajectory of 76 residues";
  EXPECT_THAT(ranks_per_target(targets, {}, 4, 1), Each(1)) << "none of them is in the queue";
}

/// Estimated begin and end of a target [s].
struct ScheduledTarget {
  double begin = 0, end = 0;
};
/// Simulates the queue: free ranks take the targets in order, ranks_per_target() ranks for each.
std::vector<ScheduledTarget> schedule(const std::vector<PlannedTarget>& targets,
                                      const std::vector<std::size_t>& queue, int ranks) {
  const auto ranks_of = ranks_per_target(targets, queue, ranks, 1);
  estimate::FreeRanks free(ranks);
  std::vector<ScheduledTarget> result;
  for (const auto k : queue) {
    const double seconds = targets[k].listed.seconds.on(ranks_of[k]);
    const double begin = free.take(ranks_of[k], seconds);
    result.push_back({begin, begin + seconds});
  }
  return result;
}

double list_end(const std::vector<PlannedTarget>& targets, const std::vector<std::size_t>& queue,
                int ranks) {
  double end = 0;
  for (const auto& one : schedule(targets, queue, ranks)) end = std::max(end, one.end);
  return end;
}

TEST(Schedule, GivesTargetToFirstFreeRank) {
  const std::vector<PlannedTarget> targets{target(Backend::cpu, 5), target(Backend::cpu, 2),
                                           target(Backend::cpu, 4), target(Backend::cpu, 20, 100)};
  const auto turns = schedule(targets, {0, 1, 2, 3}, 2);
  ASSERT_EQ(turns.size(), 4U);
  EXPECT_DOUBLE_EQ(turns[1].end, 2);
  EXPECT_DOUBLE_EQ(turns[2].begin, 2);
  // The target needs both ranks: the first free rank waits.
  EXPECT_DOUBLE_EQ(turns[3].begin, 6);
  EXPECT_DOUBLE_EQ(turns[3].end, 16);
}

TEST(ShortFirst, PutsShortTargetsBeforeLongOnes) {
  // Two targets of 10 s and two of 300 s on two ranks, as reported in an issue.
  const std::vector<PlannedTarget> targets{target(Backend::gpu, 300), target(Backend::gpu, 10),
                                           target(Backend::gpu, 300), target(Backend::gpu, 10)};
  const auto longest_first = make_queue(targets, TargetStatus::missing, Backend::gpu);
  EXPECT_THAT(longest_first, ElementsAre(0, 2, 1, 3));
  EXPECT_DOUBLE_EQ(schedule(targets, longest_first, 2)[2].end, 310);
  const auto queue = move_short_to_front(targets, longest_first, 2, 1);
  EXPECT_THAT(queue, ElementsAre(1, 3, 0, 2));
  EXPECT_DOUBLE_EQ(schedule(targets, queue, 2)[1].end, 10);
  EXPECT_DOUBLE_EQ(list_end(targets, queue, 2), list_end(targets, longest_first, 2));
}

TEST(ShortFirst, DelaysEndByAtMostFivePercent) {
  // A hundred short targets would delay the long one by 500 s.
  std::vector<PlannedTarget> targets{target(Backend::gpu, 600)};
  for (int k = 0; k < 100; ++k) targets.push_back(target(Backend::gpu, 10));
  const auto longest_first = make_queue(targets, TargetStatus::missing, Backend::gpu);
  const auto queue = move_short_to_front(targets, longest_first, 2, 1);
  const double best = list_end(targets, longest_first, 2);
  EXPECT_LE(list_end(targets, queue, 2), 1.05 * best);
  std::vector<std::size_t> sorted(queue);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(sorted[k], k);
  // Some run before the long target begins, the others beside it.
  EXPECT_NE(queue.front(), 0U);
  EXPECT_DOUBLE_EQ(schedule(targets, queue, 2).front().end, 10);
  // One rank ends at the same time in any order: all short targets come first.
  EXPECT_EQ(move_short_to_front(targets, longest_first, 1, 1).back(), 0U);
}

TEST(ShortFirst, KeepsOrderOfEqualTargets) {
  const std::vector<PlannedTarget> targets{target(Backend::cpu, 3), target(Backend::cpu, 3),
                                           target(Backend::cpu, 3)};
  EXPECT_THAT(move_short_to_front(targets, {0, 1, 2}, 2, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(move_short_to_front(targets, {}, 2, 1), IsEmpty());
}

TEST(TargetBackend, KeepsFirstDecision) {
  const test::TemporaryFolder temporary;
  const BatchFolder folder{temporary.path()};
  std::filesystem::create_directory(folder.of("a"));
  EXPECT_FALSE(read_backend(folder, "a").has_value());
  write_backend(folder, "a", target(Backend::gpu, 2.5).decision);
  EXPECT_EQ(read_backend(folder, "a"), Backend::gpu);
  const auto text = test::read_file(folder.backend("a"));
  EXPECT_THAT(text, HasSubstr("predicted_gpu_seconds: 2.5\n"));
  EXPECT_THAT(text, HasSubstr("reason: \"so\"\n"));
  write_backend(folder, "a", target(Backend::cpu, 1).decision);
  EXPECT_EQ(test::read_file(folder.backend("a")), text);
}

}  // namespace
}  // namespace nfold::batch
