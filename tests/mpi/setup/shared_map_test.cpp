// Partition shared by all ranks: by the method of the input, or by the one that auto selects.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/setup/partition_choice.hpp"
#include "session/setup/system_setup.hpp"
#include "support/systems.hpp"

namespace nfold::setup {
namespace {

using input::PartitionMethod;
using testing::HasSubstr;

class CommonPartition : public testing::TestWithParam<PartitionMethod> {
 protected:
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = test::ubiquitin(3);
  const system::State state = test::shaken_native(topology, 0.02, 3);
  input::Settings settings;
};

TEST_P(CommonPartition, IsTheSameOnEveryRank) {
  settings.partition.method = GetParam();
  const auto partition = make_shared_partition(world, settings, topology, state);
  EXPECT_EQ(partition.owner.size(), topology.residues.size());
  const std::uint64_t sum = domain::partition_checksum(partition.owner);
  for (const auto other : world.all_gather(std::span<const std::uint64_t>(&sum, 1))) {
    EXPECT_EQ(other, sum);
  }
  EXPECT_EQ(partition.owner, owners(settings, topology, state, world.size()));
  EXPECT_THAT(partition.message, HasSubstr("partition " + method_name(GetParam())));
  EXPECT_THAT(partition.message, HasSubstr(": map "));
}

TEST_P(CommonPartition, KnowsTheNodes) {
  settings.partition.method = GetParam();
  settings.partition.ranks_per_node = 2;
  std::vector<int> node;
  for (int rank = 0; rank < world.size(); ++rank) node.push_back(rank / 2);
  EXPECT_EQ(make_shared_partition(world, settings, topology, state).owner,
            owners(settings, topology, state, world.size(), {}, node));
}

INSTANTIATE_TEST_SUITE_P(Methods, CommonPartition,
                         testing::Values(PartitionMethod::automatic,
                                         PartitionMethod::residue_ranges,
                                         PartitionMethod::recursive_bisection,
                                         PartitionMethod::hilbert_curve, PartitionMethod::random,
                                         PartitionMethod::clusters, PartitionMethod::domains));

using AutomaticPartition = CommonPartition;

TEST_F(AutomaticPartition, FollowsScoresIfTheInputAsksForIt) {
  device::JobDevices devices(
      std::vector<comm::RankLocation>(static_cast<std::size_t>(world.size())), world.rank(), 0, 0);
  devices.set_score(world.is_root() ? 50 : 100);
  EXPECT_TRUE(speeds_by_score(world, devices, settings).empty()) << "equal shares by default";
  settings.devices.split = core::SplitStrategy::score;
  const auto speed = speeds_by_score(world, devices, settings);
  if (world.size() == 1) {
    EXPECT_TRUE(speed.empty());
    return;
  }
  settings.partition.method = PartitionMethod::recursive_bisection;
  const auto owner = make_shared_partition(world, settings, topology, state, speed).owner;
  const auto load = domain::rank_loads(
      domain::counted_work(topology, state.position, typical_skin_nm), owner, world.size());
  EXPECT_NEAR(load[0] / load[1], 0.5, 0.05);
}

TEST_F(AutomaticPartition, TakesMethodWithShortestStep) {
  const auto partition = make_shared_partition(world, settings, topology, state);
  const auto compared = compare_partitions(settings, topology, state, world.size());
  const auto& best = best_partition(compared, preference_for(topology));
  EXPECT_EQ(partition.owner, best.owner);
  if (world.size() == 1 || !world.is_root()) return;
  EXPECT_THAT(partition.message,
              HasSubstr("auto takes " + method_name(best.method) + " (predicted step "));
}

}  // namespace
}  // namespace nfold::setup
