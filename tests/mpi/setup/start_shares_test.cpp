// First state made by ranks in shares: positions, partition and rows equal those of one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/space_partition.hpp"
#include "input/input.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

struct Case {
  std::string name, input;
  std::vector<std::string> overrides;
};

class StartShares : public testing::TestWithParam<Case> {
 protected:
  const comm::Communicator world = comm::Communicator::world();
  const std::string input = NFOLD_INPUT "/" + GetParam().input;
  const input::Settings settings = [this] {
    auto all = GetParam().overrides;
    all.emplace_back("partition.method=recursive-bisection");
    return input::parse_input(input::read_input_text(input), input, all);
  }();
  const topology::Topology topology = build_system(world, settings, input).topology;
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(world.size()); }
};

TEST_P(StartShares, MatchTheStartOfOneRank) {
  const auto seed = settings.dynamics.seed;
  const auto whole = start_at_rest(settings, input, topology, seed);
  auto share = start_in_shares(world, settings, input, topology, seed);
  EXPECT_EQ(share.notes, whole.notes);
  const auto [first, end] = share_of(world, topology.residue_count()).rows;
  EXPECT_EQ(share.state.id.size(), static_cast<std::size_t>(end - first));
  EXPECT_GT(end, first);
  ASSERT_FALSE(world.any(share.state.id.empty()));
  EXPECT_EQ(share.state.id.front(), first);
  const auto all = gather_first_state(world, share);
  EXPECT_EQ(all.id, whole.state.id);
  EXPECT_EQ(all.position, whole.state.position);
}

TEST_P(StartShares, GivePartitionAndRowsOfAWholeStart) {
  auto whole = first_positions(world, settings, input, topology);
  ASSERT_FALSE(world.any(whole.is_share)) << "too small for shares";
  auto share = start_in_shares(world, settings, input, topology, settings.dynamics.seed);
  const auto partition = make_shared_partition(world, settings, topology, share);
  const auto expected = make_shared_partition(world, settings, topology, whole);
  EXPECT_EQ(partition.owner, expected.owner);
  EXPECT_EQ(partition.message, expected.message);
  share.state.velocity.clear();
  keep_own_rows(world, settings, topology, partition.owner, share);
  keep_own_rows(world, settings, topology, partition.owner, whole);
  EXPECT_EQ(share.state.id, whole.state.id);
  EXPECT_EQ(share.state.position, whole.state.position);
  EXPECT_EQ(share.state.velocity, whole.state.velocity);
}

/// Shares of a checkpoint give the same rows as the whole checkpoint.
TEST_P(StartShares, OfACheckpointGiveTheSameRows) {
  const auto start = first_state(world, settings, input, topology);
  ASSERT_FALSE(world.any(start.is_share)) << "too small for shares";
  const auto& whole = start.state;
  const std::size_t residues = whole.id.size();
  const auto begin = [&](int rank) { return residues * static_cast<std::size_t>(rank) / ranks(); };
  FirstState share;
  share.is_share = true;
  share.state.step = 7;
  for (auto row = begin(world.rank()); row < begin(world.rank() + 1); ++row) {
    share.state.id.push_back(whole.id[row]);
    share.state.position.push_back(whole.position[row]);
    share.state.velocity.push_back(whole.velocity[row]);
  }
  const auto all = gather_first_state(world, share);
  EXPECT_EQ(all.position, whole.position);
  EXPECT_EQ(all.velocity, whole.velocity);
  const auto owner = make_shared_partition(world, settings, topology, share).owner;
  EXPECT_EQ(owner, make_shared_partition(world, settings, topology, whole).owner);
  keep_own_rows(world, settings, topology, owner, share);
  EXPECT_EQ(share.state.step, 7);
  EXPECT_FALSE(share.is_share);
  std::vector<int> own;
  for (const int id : whole.id) {
    if (owner[static_cast<std::size_t>(id)] == world.rank()) own.push_back(id);
  }
  ASSERT_EQ(share.state.id, own);
  for (std::size_t row = 0; row < own.size(); ++row) {
    const auto id = static_cast<std::size_t>(own[row]);
    EXPECT_EQ(share.state.position[row], whole.position[id]);
    EXPECT_EQ(share.state.velocity[row], whole.velocity[id]);
  }
}

/// Also for work in proportion to speeds and for any number of owners.
TEST_P(StartShares, GiveTheBisectionOfAWholeStart) {
  const auto whole = start_at_rest(settings, input, topology, 5);
  const auto share = start_in_shares(world, settings, input, topology, 5);
  const auto& positions = whole.state.position;
  const auto work = domain::counted_work(topology, positions, 0.3);
  const auto [first, end] = share_of(world, topology.residue_count()).rows;
  const auto own = domain::counted_work(world, topology, first, share.state.position, 0.3);
  EXPECT_EQ(own, std::vector(work.begin() + first, work.begin() + end));
  for (const std::vector<double>& speed :
       {std::vector<double>{}, std::vector<double>{1, 2, 1.5, 1, 3, 0.5, 1}}) {
    EXPECT_EQ(domain::distributed_bisection(world, topology.box, {first, share.state.position, own},
                                            7, speed),
              domain::recursive_bisection(topology.box, positions, work, 7, speed));
  }
}

TEST_P(StartShares, GivePositionsOfOtherRanks) {
  const int residues = topology.residue_count();
  const auto share = share_of(world, residues);
  for (const int id : {0, residues / 3, residues - 1}) {
    const topology::Point position{0.1 * id, -1.0 / (1 + id), 7};
    const bool is_here = id >= share.rows.first && id < share.rows.end;
    EXPECT_EQ(share.fetch_position(is_here ? &position : nullptr), position);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Starts, StartShares,
    testing::Values(Case{"random", "hps-urry-mixture.yaml", {}},
                    Case{"lattice", "hps-urry-mixture.yaml", {"start.from=lattice"}},
                    Case{"slab", "hps-urry-slab.yaml", {}},
                    Case{"droplet", "mpipi-droplet.yaml", {}},
                    Case{"folded", "calvados3-domains.yaml", {}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace nfold::setup
