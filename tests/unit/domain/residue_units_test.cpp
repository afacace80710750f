// Units of consecutive residues: coverage of chains and work.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/residue_units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "domain/space_partition.hpp"
#include "system/box.hpp"

namespace nfold::domain {
namespace {

/// Random walks of these lengths in a cube; every third residue is charged.
class Chains {
 public:
  explicit Chains(const std::vector<int>& lengths, double box_nm) {
    topology.box.length_nm = {box_nm, box_nm, box_nm};
    topology.short_range.cutoff_nm = 1.5;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> anywhere(0, box_nm), step(-0.22, 0.22);
    for (const int length : lengths) {
      topology::Chain chain;
      chain.first = topology.residue_count();
      chain.count = length;
      std::array<double, 3> position{anywhere(random), anywhere(random), anywhere(random)};
      for (int i = 0; i < length; ++i) {
        for (double& x : position) x += step(random);
        positions.push_back(system::coarse_position(topology.box, position));
        if (i > 0) topology.bonds.push_back({chain.first + i - 1, chain.first + i, 0.38, 8000});
        topology::Residue residue{};
        residue.charge_e = i % 3 == 0 ? 1 : 0;
        topology.residues.push_back(residue);
      }
      topology.chains.push_back(chain);
    }
  }
  [[nodiscard]] std::vector<system::FixedPosition> first_positions(
      const ResidueUnits& units) const {
    std::vector<system::FixedPosition> unit_positions;
    unit_positions.reserve(units.first.size());
    for (const int id : units.first)
      unit_positions.push_back(positions[static_cast<std::size_t>(id)]);
    return unit_positions;
  }
  topology::Topology topology;
  std::vector<system::FixedPosition> positions;
};

TEST(ResidueUnits, CoverChainsWithoutCrossingThem) {
  const Chains chains({10, 1, 4, 5}, 10);
  const ResidueUnits units(chains.topology, 4);
  EXPECT_EQ(units.first, (std::vector<int>{0, 4, 8, 10, 11, 15, 19}));
  std::vector<int> residues;
  for (std::size_t unit = 0; unit < units.first.size(); ++unit) {
    residues.push_back(units.residues_of(unit));
  }
  EXPECT_EQ(residues, (std::vector<int>{4, 4, 2, 1, 4, 4, 1}));
  const Ownership unit_owner{0, 1, 2, 0, 1, 1, 3};
  const auto residue_owner = units.of_residues(unit_owner);
  EXPECT_EQ(residue_owner, (Ownership{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3}));
  EXPECT_EQ(units.of_units(residue_owner), unit_owner);
  EXPECT_THROW(ResidueUnits(chains.topology, 0), std::invalid_argument);
}

TEST(ResidueUnits, HaveWorkOfTheirResidues) {
  const Chains chains(std::vector<int>(200, 50), 18);
  for (const bool has_charges : {false, true}) {
    auto topology = chains.topology;
    if (has_charges) {
      topology.electrostatics.coulomb_kj_mol_nm = 1;
      topology.electrostatics.cutoff_nm = 2.5;
    }
    ASSERT_EQ(topology.electrostatics.acts(), has_charges);
    const WorkCosts costs;
    const auto each = counted_work(topology, chains.positions, 0.3, costs);
    const double all = std::accumulate(each.begin(), each.end(), 0.0);
    for (const int longest : {2, 5}) {
      const ResidueUnits units(topology, longest);
      const auto work = counted_work(topology, units, chains.first_positions(units), 0.3, costs);
      EXPECT_NEAR(std::accumulate(work.begin(), work.end(), 0.0) / all, 1, 0.05) << longest;
      // Imbalance of a partition of units by the work of their residues.
      const auto owner = units.of_residues(
          recursive_bisection(topology.box, chains.first_positions(units), work, 4));
      EXPECT_LT(load_imbalance(each, owner, 4), 1.06) << longest << " " << has_charges;
    }
  }
}

}  // namespace
}  // namespace nfold::domain
