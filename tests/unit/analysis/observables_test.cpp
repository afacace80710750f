// Q and radius of gyration of hand-made frames.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/observables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/chain_kinds.hpp"

namespace {

namespace analysis = nfold::analysis;
using analysis::Point;

nfold::topology::Topology make_chain(const std::vector<double>& masses) {
  nfold::topology::Topology topology;
  topology.species = {{"A", 1}};
  topology.chains = {{"A", 0, static_cast<int>(masses.size()), 0}};
  for (const double mass : masses) {
    nfold::topology::Residue residue;
    residue.mass_amu = mass;
    topology.residues.push_back(residue);
  }
  return topology;
}

TEST(NativeContactFraction, CountsPairsWithinTheFactor) {
  auto topology = make_chain({1, 1, 1, 1});
  topology.contacts_12_10 = {{0, 1, 0.5, 1}, {0, 2, 0.5, 1}};
  topology.contacts_gaussian = {{0, 3, 1.0, 1, 0.05, 1e-5}};
  // distances 0.59 (<= 0.6), 0.61 (> 0.6), 1.2 (<= 1.2)
  const std::vector<Point> x{{0, 0, 0}, {0.59, 0, 0}, {0, 0.61, 0}, {0, 0, 1.19}};
  EXPECT_EQ(analysis::native_contact_fraction(topology, x), 2.0 / 3);
  EXPECT_EQ(analysis::native_contact_fraction(topology, x, 1.25), 1);
  EXPECT_EQ(analysis::native_contact_fraction(topology, x, 1.0), 0);
}

TEST(NativeContactFraction, IsUndefinedWithoutContacts) {
  const std::vector<Point> x{{0, 0, 0}};
  EXPECT_TRUE(std::isnan(analysis::native_contact_fraction(make_chain({1}), x)));
}

TEST(NativeContactFraction, UsesNearestImages) {
  auto topology = make_chain({1, 1});
  topology.contacts_12_10 = {{0, 1, 0.5, 1}};
  const std::vector<Point> x{{0.2, 1, 1}, {9.8, 1, 21}};
  EXPECT_EQ(analysis::native_contact_fraction(topology, x), 0);
  topology.box.length_nm = {10, 10, 10};
  EXPECT_EQ(analysis::native_contact_fraction(topology, x), 1);
}

TEST(RadiusOfGyration, DumbbellMatchesClosedForm) {
  // m1 m2 / (m1 + m2)^2 * L^2 with 1, 3 and L = 4: sqrt(3/16) * 4
  const auto topology = make_chain({1, 3});
  const std::vector<Point> x{{0, 0, 0}, {0, 4, 0}};
  EXPECT_NEAR(analysis::radii_of_gyration_nm(topology, x).at(0), std::sqrt(3.0), 1e-15);
}

TEST(RadiusOfGyration, IsIndependentOfOrigin) {
  const auto topology = make_chain({1, 1, 1, 1});
  std::vector<Point> x{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  EXPECT_NEAR(analysis::radii_of_gyration_nm(topology, x).at(0), 1, 1e-15);
  for (auto& p : x) p[2] += 1e6;
  EXPECT_NEAR(analysis::radii_of_gyration_nm(topology, x).at(0), 1, 1e-9);
}

TEST(RadiusOfGyration, IsMeanOverChainsOfEachSpecies) {
  auto topology = make_chain({1, 1, 1, 1});
  topology.chains = {{"A", 0, 2, 0}, {"B", 2, 2, 0}};
  const std::vector<Point> x{{0, 0, 0}, {0, 2, 0}, {90, 0, 0}, {96, 0, 0}};
  const auto one_species = analysis::radii_of_gyration_nm(topology, x);
  ASSERT_EQ(one_species.size(), 1U);
  EXPECT_NEAR(one_species[0], 2, 1e-12);
  topology.species = {{"short", 1}, {"long", 1}};
  topology.chains[1].species = 1;
  const auto two_species = analysis::radii_of_gyration_nm(topology, x);
  ASSERT_EQ(two_species.size(), 2U);
  EXPECT_NEAR(two_species[0], 1, 1e-12);
  EXPECT_NEAR(two_species[1], 3, 1e-12);
}

TEST(RmsdToNative, IsUndefinedWithoutCompleteNativeStructure) {
  auto topology = make_chain({1, 1});
  const std::vector<Point> x{{0, 0, 0}, {1, 0, 0}};
  EXPECT_TRUE(std::isnan(analysis::rmsd_to_native_nm(topology, x)));
  topology.native_nm = {{0, 0, 0}, {std::nan(""), 0, 0}};
  EXPECT_TRUE(std::isnan(analysis::rmsd_to_native_nm(topology, x)));
}

TEST(RmsdToNative, UsesNativeCoordinatesOfTopology) {
  auto topology = make_chain({1, 1});
  topology.native_nm = {{0, 0, 0}, {1, 0, 0}};
  EXPECT_NEAR(analysis::rmsd_to_native_nm(topology, std::vector<Point>{{0, 0, 0}, {0, 0, 1.5}}),
              0.25, 1e-15);
}

TEST(ChainKinds, AreChainsOfOneSpeciesWithOneSequence) {
  auto topology = make_chain({1, 1, 1, 1, 1, 1, 1});
  for (std::size_t i = 0; i < 7; ++i) topology.residues.items()[i].name = i == 3 ? "GLY" : "ALA";
  topology.species = {{"dimer", 3}, {"peptide", 1}};
  topology.chains = {{"A", 0, 2, 0}, {"B", 2, 2, 0}, {"A2", 4, 2, 0}, {"C", 6, 1, 1}};
  const auto found = analysis::chain_kinds(topology);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.of_chain, (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(found.kinds[0].name, "dimer A");
  EXPECT_EQ(found.kinds[0].chains, (std::vector<int>{0, 2}));
  EXPECT_EQ(found.kinds[1].name, "dimer B");
  EXPECT_EQ(found.kinds[2].name, "peptide");
  EXPECT_EQ(found.kinds[2].residues, 1);
  topology.species.clear();
  EXPECT_EQ(analysis::chain_kinds(topology).kinds[2].name, "C");
}

}  // namespace
