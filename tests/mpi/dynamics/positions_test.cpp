// Positions come to rank 0 piece by piece, in the order of ids, whatever the map.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::dynamics {
namespace {

const auto* const scope = test::start_kokkos();

TEST(Positions, ComeInPieces) {
  const auto world = comm::Communicator::world();
  const auto topology = test::ubiquitin(2);
  const auto start = test::shaken_native(topology, 0.02, 3);
  const int residues = topology.residue_count();
  for (const auto& owner : {domain::random_owners(residues, world.size(), 4),
                            std::vector<int>(topology.residues.size(), world.size() - 1)}) {
    Engine engine(world, topology, {}, start, owner);
    for (const int at_a_time : {1, 7, residues - 1, residues, 1 << 20}) {
      std::vector<std::array<double, 3>> came;
      engine.visit_positions_nm(
          [&](std::span<const std::array<double, 3>> nm) {
            EXPECT_LE(nm.size(), static_cast<std::size_t>(at_a_time));
            came.insert(came.end(), nm.begin(), nm.end());
          },
          at_a_time);
      ASSERT_EQ(came.size(), world.is_root() ? start.position.size() : 0U);
      for (std::size_t id = 0; id < came.size(); ++id) {
        ASSERT_EQ(came[id], system::position_nm(topology.box, start.position[id])) << id;
      }
    }
  }
}

}  // namespace
}  // namespace nfold::dynamics
