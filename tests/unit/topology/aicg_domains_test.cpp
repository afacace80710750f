// AICG2+: strengths from atoms, wells, flexible terms and exclusions.
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of contacts and sums of strengths come from an independent script. Its output for another
// protein met all 1102 contacts and all wells that genesis_cg_tool has published.
#include "model/topology/aicg_domains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "model/structure/structure.hpp"
#include "model/topology/aicg_energies.hpp"
#include "model/topology/go_model.hpp"
#include "ubiquitin.hpp"

namespace nfold::topology {
namespace {

constexpr double radians_per_degree = std::numbers::pi / 180;

/// Residues of a structure without bonded terms; those up to `folded` are one domain.
Topology bare_topology(const structure::Structure& s, int folded) {
  Topology t = build_go_model(s, {});
  BondedKinds::for_each([&t](auto kind) { (t.*kind.terms).clear(); });
  t.exclusions.clear();
  auto& residues = t.residues.items();
  for (std::size_t i = 0; i < residues.size(); ++i) {
    residues[i].domain = static_cast<int>(i) < folded ? 0 : -1;
  }
  return t;
}

structure::Structure protease() {
  return structure::read_structure(NFOLD_STRUCTURES "/1hpv.pdb.gz", {.chains = {"A", "B"}});
}

struct Sums {
  std::size_t wells_13 = 0, wells_14 = 0, contacts = 0;
  double depth_13 = 0, depth_14 = 0, depth_contacts = 0;
};
Sums sum_wells(const Topology& t) {
  Sums sums;
  for (const auto& well : t.local_wells) ++sums.wells_13, sums.depth_13 += well.epsilon_kj_mol;
  for (const auto& contact : t.contacts_12_10) {
    ++sums.contacts, sums.depth_contacts += contact.epsilon_kj_mol;
  }
  for (const auto& dihedral : t.flexible_dihedrals) {
    if (dihedral.depth_kj_mol == 0) continue;
    ++sums.wells_14, sums.depth_14 += dihedral.depth_kj_mol;
  }
  return sums;
}

TEST(AicgDomains, StrengthsMatchGenesisTool) {
  auto ubq = bare_topology(ubiquitin(), 76);
  add_aicg_domains(ubq, ubiquitin());
  const Sums one = sum_wells(ubq);
  EXPECT_EQ(one.wells_13, 74U);
  EXPECT_EQ(one.wells_14, 73U);
  EXPECT_EQ(one.contacts, 290U);
  EXPECT_NEAR(one.depth_13, 831.839579304, 1e-9);
  EXPECT_NEAR(one.depth_14, 410.522398272, 1e-9);
  EXPECT_NEAR(one.depth_contacts, 652.742559744, 1e-9);

  auto dimer = bare_topology(protease(), 198);
  add_aicg_domains(dimer, protease());
  const Sums two = sum_wells(dimer);
  EXPECT_EQ(two.wells_13, 194U);
  EXPECT_EQ(two.wells_14, 192U);
  EXPECT_EQ(two.contacts, 936U);
  EXPECT_NEAR(two.depth_13, 2011.13240112, 1e-8);
  EXPECT_NEAR(two.depth_14, 653.450417232, 1e-8);
  EXPECT_NEAR(two.depth_contacts, 1990.439123712, 1e-8);
  EXPECT_EQ(std::ranges::count_if(dimer.contacts_12_10,
                                  [](const auto& c) { return c.i < 99 && c.j >= 99; }),
            212);
}

// Source: params/test_cases.yaml of the physics reference, computed with 40 digits.
TEST(AicgDomains, FlexibleDihedralHasPublishedValues) {
  const auto term = make_flexible_dihedral("ALA", "ALA");
  struct Point {
    double degrees, energy, slope;
  };
  for (const Point& p :
       {Point{-120, 0.03057678774049999, 0.23047863566634558},
        Point{-60, 3.1024009534960744, 4.0033246104428395}, Point{0, 2.5438788405574693, -4.71033},
        Point{50, 0.019105455881899196, 0.5664405803203066},
        Point{180, 0.5790668405574694, -0.59327}}) {
    EXPECT_NEAR(term.value(p.degrees * radians_per_degree).energy, p.energy, 2e-12);
    EXPECT_NEAR(term.value(p.degrees * radians_per_degree).slope, p.slope, 1e-12);
  }
}

TEST(AicgDomains, FlexibleDihedralDependsOnBothInnerResidues) {
  const auto lowest = [](const char* second, const char* third) {
    return make_flexible_dihedral(second, third).fourier_kj_mol[1];
  };
  EXPECT_EQ(lowest("ALA", "LYS"), 0.91337);
  EXPECT_EQ(lowest("ALA", "GLY"), -0.68869);
  EXPECT_EQ(lowest("ALA", "PRO"), 2.0292);
  EXPECT_EQ(lowest("GLY", "PRO"), -1.8882);
  EXPECT_EQ(lowest("GLY", "GLY"), -0.68869);
  EXPECT_EQ(lowest("PRO", "ALA"), 0.73053);
  EXPECT_THROW((void)make_flexible_dihedral("SEP", "ALA"), structure::StructureError);
}

TEST(AicgDomains, LeaveDisorderedPartsFree) {
  auto t = bare_topology(ubiquitin(), 40);
  add_aicg_domains(t, ubiquitin());
  EXPECT_EQ(t.tabulated_angles.size(), 40U);    // triples with a residue of the domain
  EXPECT_EQ(t.flexible_dihedrals.size(), 40U);  // quadruples likewise
  EXPECT_EQ(t.local_wells.size(), 38U);
  EXPECT_EQ(sum_wells(t).wells_14, 37U);
  EXPECT_TRUE(std::ranges::all_of(t.contacts_12_10, [](const auto& c) { return c.j < 40; }));
  const auto is_excluded = [&](int i, int j) {
    return std::ranges::count(t.exclusions, std::pair(i, j)) > 0;
  };
  EXPECT_TRUE(is_excluded(39, 42));
  EXPECT_TRUE(is_excluded(39, 41));
  EXPECT_FALSE(is_excluded(40, 42));  // disordered residues interact from 1-3 on
  EXPECT_FALSE(is_excluded(40, 43));
}

TEST(AicgDomains, WellsAreDeepestInTheStructure) {
  auto t = bare_topology(ubiquitin(), 76);
  add_aicg_domains(t, ubiquitin());
  for (const auto& dihedral : t.flexible_dihedrals) {
    auto flat = dihedral;
    flat.depth_kj_mol = 0;
    const double phi = dihedral.phi0_rad;
    EXPECT_NEAR(dihedral.value(phi).energy, flat.value(phi).energy - dihedral.depth_kj_mol, 1e-12);
    EXPECT_NEAR(dihedral.value(phi + 2 * std::numbers::pi).energy, dihedral.value(phi).energy,
                1e-9);
  }
}

}  // namespace
}  // namespace nfold::topology
