// Pieces of chains: they cover every residue, and their work is that of their residues.
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

/// Chains of these lengths as random walks in a cube; every third residue is charged.
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
      std::array<double, 3> at{anywhere(random), anywhere(random), anywhere(random)};
      for (int i = 0; i < length; ++i) {
        for (double& x : at) x += step(random);
        positions.push_back(system::coarse_position(topology.box, at));
        if (i > 0) topology.bonds.push_back({chain.first + i - 1, chain.first + i, 0.38, 8000});
        topology::Residue residue{};
        residue.charge_e = i % 3 == 0 ? 1 : 0;
        topology.residues.push_back(residue);
      }
      topology.chains.push_back(chain);
    }
  }
  [[nodiscard]] std::vector<system::FixedPosition> of(const ResidueUnits& units) const {
    std::vector<system::FixedPosition> places;
    places.reserve(units.first.size());
    for (const int id : units.first) places.push_back(positions[static_cast<std::size_t>(id)]);
    return places;
  }
  topology::Topology topology;
  std::vector<system::FixedPosition> positions;
};

TEST(ResidueUnits, CoverChainsAndKeepWithinThem) {
  const Chains chains({10, 1, 4, 5}, 10);
  const ResidueUnits units(chains.topology, 4);
  EXPECT_EQ(units.first, (std::vector<int>{0, 4, 8, 10, 11, 15, 19}));
  std::vector<int> residues;
  for (std::size_t unit = 0; unit < units.first.size(); ++unit) {
    residues.push_back(units.residues_of(unit));
  }
  EXPECT_EQ(residues, (std::vector<int>{4, 4, 2, 1, 4, 4, 1}));
  const Ownership of_units{0, 1, 2, 0, 1, 1, 3};
  const auto of_residues = units.of_residues(of_units);
  EXPECT_EQ(of_residues, (Ownership{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3}));
  EXPECT_EQ(units.of_units(of_residues), of_units);
  EXPECT_THROW(ResidueUnits(chains.topology, 0), std::invalid_argument);
}

TEST(ResidueUnits, HaveTheWorkOfTheirResidues) {
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
      const auto work = counted_work(topology, units, chains.of(units), 0.3, costs);
      EXPECT_NEAR(std::accumulate(work.begin(), work.end(), 0.0) / all, 1, 0.05) << longest;
      // What a map of units gives each rank, by the work of residues.
      const auto owner =
          units.of_residues(recursive_bisection(topology.box, chains.of(units), work, 4));
      EXPECT_LT(imbalance_of(each, owner, 4), 1.06) << longest << " " << has_charges;
    }
  }
}

}  // namespace
}  // namespace nfold::domain
