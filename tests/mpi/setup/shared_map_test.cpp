// The map that all ranks get: one for all, by the method that the input names or that auto takes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "setup/partition_choice.hpp"
#include "setup/system_setup.hpp"
#include "support/systems.hpp"

namespace nfold::setup {
namespace {

using config::PartitionMethod;
using testing::HasSubstr;

class SharedMaps : public testing::TestWithParam<PartitionMethod> {
 protected:
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = test::ubiquitin(3);
  const system::State state = test::shaken_native(topology, 0.02, 3);
  config::Settings settings;
};

TEST_P(SharedMaps, AreTheSameOnEveryRank) {
  settings.partition.method = GetParam();
  const auto map = shared_map(world, settings, topology, state);
  ASSERT_EQ(map.owner.size(), topology.residues.size());
  const std::uint64_t sum = domain::checksum_of(map.owner);
  for (const auto other : world.all_gather(std::span<const std::uint64_t>(&sum, 1))) {
    EXPECT_EQ(other, sum);
  }
  EXPECT_EQ(map.owner, owners(settings, topology, state, world.size()));
  EXPECT_THAT(map.words, HasSubstr("partition " + method_name(GetParam())));
  EXPECT_THAT(map.words, HasSubstr(": map "));
}

INSTANTIATE_TEST_SUITE_P(Methods, SharedMaps,
                         testing::Values(PartitionMethod::automatic,
                                         PartitionMethod::residue_ranges,
                                         PartitionMethod::recursive_bisection,
                                         PartitionMethod::hilbert_curve, PartitionMethod::random,
                                         PartitionMethod::clusters, PartitionMethod::domains));

using AutomaticMaps = SharedMaps;

TEST_F(AutomaticMaps, TakeTheMethodWithTheShortestStep) {
  const auto map = shared_map(world, settings, topology, state);
  const auto compared = compare_partitions(settings, topology, state, world.size());
  const auto& best = best_partition(compared, preference_for(topology));
  EXPECT_EQ(map.owner, best.owner);
  if (world.size() == 1 || !world.is_root()) return;
  EXPECT_THAT(map.words, HasSubstr("auto takes " + method_name(best.method) + " (predicted step "));
}

}  // namespace
}  // namespace nfold::setup
