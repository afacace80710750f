// Terms of the go model: counts, gaps, exclusions, copies, names, hash, geometry errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/go_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "model/topology/amounts.hpp"
#include "ubiquitin.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;
using testing::Contains;
using testing::HasSubstr;

// A C-alpha helix, 0.38 nm a step, one chain.
structure::Structure helix(int count) {
  structure::Structure s;
  s.name = "helix";
  s.chains.push_back({"A", {}});
  for (int i = 0; i < count; ++i) {
    constexpr double turn = 1.7453292519943295;
    structure::Residue r;
    r.name = "ALA";
    r.number = i + 1;
    r.calpha_nm = {0.23 * std::cos(turn * i), 0.23 * std::sin(turn * i), 0.15 * i};
    r.heavy_atoms = {{"CA", r.calpha_nm}};
    r.bonded_to_next = i + 1 < count;
    s.chains[0].residues.push_back(r);
  }
  return s;
}

GoModel calpha_model() {
  GoModel model;
  model.contacts.map = system::ContactMap::calpha;
  model.contacts.cutoff_nm = 0.8;
  return model;
}

std::string refusal(const structure::Structure& s, const GoModel& model) {
  try {
    (void)build_go_model(s, model);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

// Ubiquitin weighs 8,564.8 Da (UniProt P0CG48 by average masses, one chain of 76 residues).
TEST(GoModel, TotalMassIsTheRealMass) {
  for (const double mass_amu : {1.0, 100.0}) {
    GoModel model;
    model.mass_amu = mass_amu;
    model.copies = 3;
    const Topology t = build_go_model(ubiquitin(), model);
    EXPECT_NEAR(total_mass(t), 3 * 8564.8, 3 * 1.0);
    EXPECT_EQ(t.residues[0].mass_amu, mass_amu);
  }
  auto unknown = helix(1);
  unknown.chains[0].residues[0].name = "UNK";
  EXPECT_EQ(total_mass(build_go_model(unknown, calpha_model())), 110 + 18);
}

TEST(GoModel, UnbrokenChainHasAllTerms) {
  const Topology t = build_go_model(ubiquitin(), {});
  EXPECT_EQ(t.residue_count(), 76);
  EXPECT_EQ(t.bonds.size(), 75U);
  EXPECT_EQ(t.angles.size(), 74U);
  EXPECT_EQ(t.dihedrals.size(), 73U);
  EXPECT_EQ(t.contacts_12_10.size(), 206U);
  EXPECT_EQ(t.exclusions.size(), 75U + 74U + 73U + 206U);
  EXPECT_EQ(residue_label(t, 0), "MET 1 (chain A)");
}

TEST(GoModel, BreakRemovesTermsAcrossIt) {
  auto s = helix(10);
  s.chains[0].residues[5].bonded_to_next = false;
  const Topology t = build_go_model(s, calpha_model());
  EXPECT_EQ(t.bonds.size(), 8U);
  EXPECT_EQ(t.angles.size(), 6U);
  EXPECT_EQ(t.dihedrals.size(), 4U);
  EXPECT_EQ(t.residues[5].segment, 0);
  EXPECT_EQ(t.residues[6].segment, 1);
  const std::set<std::pair<int, int>> excluded(t.exclusions.begin(), t.exclusions.end());
  EXPECT_TRUE(excluded.contains({3, 5}));
  EXPECT_FALSE(excluded.contains({5, 6}));
  EXPECT_FALSE(excluded.contains({4, 6}));
  // Contacts still count residues along the chain, so none joins neighbours across the break.
  ASSERT_FALSE(t.contacts_12_10.empty());
  for (const Contact1210& c : t.contacts_12_10) EXPECT_GE(c.j - c.i, 4);
}

TEST(GoModel, ExclusionsAreSortedAndHoldContacts) {
  const Topology t = build_go_model(ubiquitin(), {});
  EXPECT_TRUE(std::is_sorted(t.exclusions.begin(), t.exclusions.end()));
  const std::set<std::pair<int, int>> excluded(t.exclusions.begin(), t.exclusions.end());
  EXPECT_EQ(excluded.size(), t.exclusions.size());
  for (const auto& [i, j] : excluded) EXPECT_LT(i, j);
  ASSERT_EQ(t.contacts_12_10.size(), 206U);
  for (const Contact1210& c : t.contacts_12_10) EXPECT_TRUE(excluded.contains({c.i, c.j}));
}

TEST(GoModel, CopiesRepeatEveryTerm) {
  GoModel model;
  const Topology one = build_go_model(ubiquitin(), model);
  model.copies = 5;
  const Topology five = build_go_model(ubiquitin(), model);
  EXPECT_EQ(five.residue_count(), 5 * 76);
  EXPECT_EQ(five.dihedrals.size(), 5 * one.dihedrals.size());
  EXPECT_EQ(five.contacts_12_10.size(), 5 * one.contacts_12_10.size());
  EXPECT_TRUE(std::is_sorted(five.exclusions.begin(), five.exclusions.end()));
  std::vector<std::string> names;
  names.reserve(five.chains.size());
  for (const Chain& chain : five.chains) names.push_back(chain.name);
  EXPECT_THAT(names, testing::ElementsAre("A", "A2", "A3", "A4", "A5"));
  EXPECT_EQ(five.chains[3].first, 3 * 76);
  EXPECT_EQ(residue_label(five, 76), "MET 1 (chain A2)");
  const Contact1210 a = one.contacts_12_10[7], b = five.contacts_12_10[4 * 206 + 7];
  EXPECT_EQ(b.i, a.i + 4 * 76);
  EXPECT_EQ(b.distance_nm, a.distance_nm);
  // Copies do not touch: the default spacing leaves 2 nm between them.
  double nearest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < 76; ++i) {
    for (std::size_t j = 76; j < std::size_t{5} * 76; ++j) {
      const auto &x = five.native_nm[i], &y = five.native_nm[j];
      nearest = std::min(nearest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
  }
  EXPECT_GE(nearest, 2);
}

TEST(GoModel, CopiesKeepNamesUnique) {
  auto s = helix(8);
  s.chains.push_back(s.chains[0]);
  s.chains[1].name = "A2";
  for (auto& r : s.chains[1].residues) r.calpha_nm[0] += 5;
  GoModel model = calpha_model();
  model.copies = 3;
  std::set<std::string> names;
  for (const Chain& chain : build_go_model(s, model).chains) names.insert(chain.name);
  EXPECT_EQ(names.size(), 6U);
  EXPECT_TRUE(names.contains("A_2"));
}

TEST(GoModel, GivenSpacingIsUsedAndOverlapNoted) {
  GoModel model;
  model.copies = 2;
  model.copy_spacing_nm = 1;
  const Topology t = build_go_model(ubiquitin(), model);
  EXPECT_DOUBLE_EQ(t.native_nm[76][0] - t.native_nm[0][0], 1);
  EXPECT_THAT(t.notes, Contains(HasSubstr("may overlap")));
}

TEST(GoModel, RefusesTooManyResidues) {
  GoModel model;
  model.copies = 2000000000;
  EXPECT_THAT(refusal(ubiquitin(), model), HasSubstr("2000000000 copies of 76 residues"));
}

TEST(GoModel, ErrorNamesResiduesOfBadGeometry) {
  auto s = helix(8);
  s.chains[0].residues[3].calpha_nm = s.chains[0].residues[2].calpha_nm;
  EXPECT_THAT(refusal(s, calpha_model()),
              HasSubstr("helix: ALA 3 (chain A) and ALA 4 (chain A) stand in the same place"));
  s = helix(8);
  for (int i : {2, 3, 4})
    s.chains[0].residues[static_cast<std::size_t>(i)].calpha_nm = {0.38 * i, 0, 0.3};
  EXPECT_THAT(refusal(s, calpha_model()),
              HasSubstr("ALA 3 (chain A), ALA 4 (chain A) and ALA 5 (chain A) stand in one line"));
  s = helix(8);
  s.chains[0].residues[6].calpha_nm = s.chains[0].residues[1].calpha_nm;
  s.chains[0].residues[5].bonded_to_next = s.chains[0].residues[6].bonded_to_next = false;
  EXPECT_THAT(refusal(s, calpha_model()),
              HasSubstr("ALA 2 (chain A) and ALA 7 (chain A) stand in the same place"));
}

TEST(GoModel, OddGeometryIsNoted) {
  auto s = helix(8);
  s.chains[0].residues[7].calpha_nm[2] += 1;
  const Topology t = build_go_model(s, calpha_model());
  EXPECT_THAT(t.notes,
              Contains(HasSubstr("bonds not of 0.08 to 0.5 nm: 1 (ALA 7 (chain A) to ALA 8")));
  GoModel shadow;
  EXPECT_THAT(build_go_model(helix(8), shadow).notes, Contains(HasSubstr("C-alpha atoms only")));
  EXPECT_THAT(build_go_model(helix(3), calpha_model()).notes,
              Contains(HasSubstr("no native contacts")));
}

TEST(Hash, DependsOnEveryNumberAndName) {
  const Topology t = build_go_model(ubiquitin(), {});
  const std::uint64_t original = hash_topology(t);
  EXPECT_EQ(hash_topology(build_go_model(ubiquitin(), {})), original);
  std::set<std::uint64_t> hashes{original};
  const auto changed = [&](auto change) {
    Topology other = t;
    change(other);
    EXPECT_TRUE(hashes.insert(hash_topology(other)).second);
  };
  const auto next = [](double& x) { x = std::nextafter(x, 1e9); };
  changed([&](Topology& o) { next(o.bonds.items()[10].length_nm); });
  changed([&](Topology& o) { next(o.bonds.items()[11].k_kj_mol_nm2); });
  changed([&](Topology& o) { next(o.angles.items()[10].theta0_rad); });
  changed([&](Topology& o) { next(o.dihedrals.items()[10].phi0_rad); });
  changed([&](Topology& o) { next(o.dihedrals.items()[72].k3_kj_mol); });
  changed([&](Topology& o) { next(o.contacts_12_10.items()[205].distance_nm); });
  changed(
      [&](Topology& o) { std::swap(o.contacts_12_10.items()[0], o.contacts_12_10.items()[1]); });
  changed([&](Topology& o) { o.contacts_12_10.items().pop_back(); });
  changed([&](Topology& o) { o.contacts_gaussian.push_back({1, 9, 0.5, 1, 0.05, 1e-5}); });
  changed([&](Topology& o) { o.local_pairs.push_back({1, 9, 0.5, 1, 0.4}); });
  changed([&](Topology& o) { o.local_wells.push_back({1, 3, 0.6, 5, 0.015, 0}); });
  changed([&](Topology& o) { o.flexible_dihedrals.push_back({1, 2, 3, 4, {1, 2}}); });
  changed([&](Topology& o) { o.flexible_dihedrals.push_back({1, 2, 3, 4, {1, 2}, 0.5, 3, 0.2}); });
  changed([&](Topology& o) { o.local_pairs.push_back({1, 9, 0.5, 1, 0.4, 0.1, 1}); });
  changed([&](Topology& o) { o.local_pairs.push_back({1, 9, 0.5, 1, 0.4, 0.1, 1, 0.01}); });
  changed([&](Topology& o) { next(o.short_range.cutoff_nm); });
  changed([&](Topology& o) { o.exclusions.emplace_back(1, 75); });
  changed([&](Topology& o) { next(o.native_nm.items()[75][2]); });
  changed([&](Topology& o) { next(o.residues.items()[3].mass_amu); });
  changed([&](Topology& o) { next(o.residues.items()[3].charge_e); });
  changed([&](Topology& o) { o.residues.items()[3].name = "GLY"; });
  changed([&](Topology& o) { o.residues.items()[3].insertion_code = 'A'; });
  changed([&](Topology& o) { o.residues.items()[3].number += 1; });
  changed([&](Topology& o) { o.residues.items()[3].segment += 1; });
  changed([&](Topology& o) { o.chains[0].name = "B"; });
  Topology noted = t;
  noted.notes.emplace_back("anything");
  EXPECT_EQ(hash_topology(noted), original);
}

}  // namespace
}  // namespace nfold::topology
