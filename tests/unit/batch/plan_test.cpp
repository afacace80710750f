// Queues and shares of ranks, and the space that a target's folder keeps.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  planned.size.fewest_replicas = replicas;
  planned.size.work.residues = 76;
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

TEST(RanksOfEach, BringTheDearestDownToAFairShare) {
  const std::vector<PlannedTarget> targets{target(Space::cpu, 6, 100), target(Space::cpu, 1, 100),
                                           target(Space::cpu, 1, 100), target(Space::cpu, 8, 1)};
  EXPECT_THAT(ranks_of_each(targets, {3, 0, 1, 2}, 4), ElementsAre(1, 2, 1, 1))
      << "one trajectory of 76 residues has one rank";
  EXPECT_THAT(ranks_of_each(targets, {0}, 4), ElementsAre(4));
  EXPECT_THAT(ranks_of_each(targets, {}, 4), IsEmpty());
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
