// Positions reach rank 0 in pieces, in order of residue id, for any partition.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "domain/partition.hpp"
#include "engine/engine.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

TEST(Positions, ArriveInPiecesInOrderOfIds) {
  const auto world = comm::Communicator::world();
  const auto topology = test::ubiquitin(2);
  const auto start = test::shaken_native(topology, 0.02, 3);
  const int residues = topology.residue_count();
  std::vector<std::array<double, 3>> expected;  // empty except on rank 0
  for (const auto& position : start.position) {
    if (world.is_root()) expected.push_back(system::position_nm(topology.box, position));
  }
  for (const auto& owner : {domain::random_owners(residues, world.size(), 4),
                            std::vector<int>(topology.residues.size(), world.size() - 1)}) {
    Engine engine(world, topology, {}, start, owner);
    for (const int at_a_time : {1, 7, residues - 1, residues, 1 << 20}) {
      std::vector<std::array<double, 3>> received;
      engine.visit_positions_nm(
          [&](std::span<const std::array<double, 3>> nm) {
            EXPECT_LE(nm.size(), static_cast<std::size_t>(at_a_time));
            received.insert(received.end(), nm.begin(), nm.end());
          },
          at_a_time);
      EXPECT_EQ(received, expected);
    }
  }
}

}  // namespace
}  // namespace nfold::engine
