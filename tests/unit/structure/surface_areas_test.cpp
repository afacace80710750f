// Solvent-accessible areas: spheres with exact areas, and proteins by another program.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/surface_areas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace nfold::structure {
namespace {

constexpr double carbon_nm = 0.17 + 0.14, oxygen_nm = 0.152 + 0.14, pi = std::numbers::pi;

/// Returns a chain with a residue for each atom.
Structure atoms(const std::vector<Atom>& all) {
  Structure s;
  s.chains.emplace_back();
  for (const Atom& atom : all) {
    s.chains[0].residues.emplace_back();
    s.chains[0].residues.back().heavy_atoms.push_back(atom);
  }
  return s;
}
double sum(const std::vector<double>& areas) {
  return std::accumulate(areas.begin(), areas.end(), 0.0);
}

TEST(SurfaceAreas, OfSingleSpheresAreExact) {
  const auto areas = surface_areas(atoms({{"CA", {1, 2, 3}},
                                          {"OD1", {9, 2, 3}},
                                          {"N", {5, 2, 3}},
                                          {"SG", {1, 9, 3}},
                                          {"SE", {1, 5, 3}}}));
  for (const auto& [index, radius_nm] :
       {std::pair{0, carbon_nm}, {1, oxygen_nm}, {2, 0.295}, {3, 0.32}, {4, 0.33}}) {
    EXPECT_NEAR(areas.at(static_cast<std::size_t>(index)), 4 * pi * radius_nm * radius_nm, 1e-12);
  }
}

/// A sphere of radius a loses the cap 2 pi a (a - x) to another one, x being the distance of the
/// plane in which they meet.
TEST(SurfaceAreas, OfTwoSpheresMissTheirCaps) {
  for (const double d : {0.05, 0.15, 0.3, 0.5, 0.6}) {
    const double a = carbon_nm, b = oxygen_nm, x = (d * d + a * a - b * b) / (2 * d);
    for (const auto& along : {std::array{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.6, 0.48, 0.64}}) {
      const auto areas =
          surface_areas(atoms({{"C", {}}, {"O", {d * along[0], d * along[1], d * along[2]}}}));
      EXPECT_NEAR(areas[0], 4 * pi * a * a - 2 * pi * a * (a - x), 0.0035) << d;
      EXPECT_NEAR(areas[1], 4 * pi * b * b - 2 * pi * b * (b - (d - x)), 0.0035) << d;
    }
  }
}

TEST(SurfaceAreas, OfAtomsOfOneResidueAdd) {
  Structure s = atoms({{"C", {}}, {"C", {0.3, 0, 0}}});
  const double both = sum(surface_areas(s));
  auto& residues = s.chains[0].residues;
  residues[0].heavy_atoms.push_back(residues[1].heavy_atoms[0]);
  residues[1].heavy_atoms.clear();
  EXPECT_EQ(surface_areas(s), (std::vector{both, 0.0}));
}

TEST(SurfaceAreas, OfAnEnclosedAtomVanish) {
  std::vector<Atom> all{{"C", {}}};
  for (const double side : {-0.2, 0.2}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      all.push_back({"C", {}});
      all.back().position_nm[axis] = side;
    }
  }
  EXPECT_EQ(surface_areas(atoms(all))[0], 0);
}

/// MDTraj 1.11, shrake_rupley() of the heavy atoms with 1920 points.
TEST(SurfaceAreas, OfProteinsMatchMdtraj) {
  const auto of_file = [](const char* name) {
    return surface_areas(read_structure(std::string(NFOLD_STRUCTURES "/") + name));
  };
  const auto ubiquitin = of_file("1ubq.pdb.gz");
  ASSERT_EQ(ubiquitin.size(), 76U);
  EXPECT_NEAR(sum(ubiquitin), 48.7010, 0.005);
  for (const auto& [number, area_nm2] : {std::pair<std::size_t, double>{1, 0.5635},
                                         {3, 0},
                                         {5, 0.0050},
                                         {6, 1.0019},
                                         {10, 0.6892},
                                         {44, 0.2918},
                                         {68, 0.8360},
                                         {76, 1.4582}}) {
    EXPECT_NEAR(ubiquitin.at(number - 1), area_nm2, 0.003) << number;
  }
  EXPECT_NEAR(sum(of_file("2sdf.pdb.gz")), 56.0429, 0.005);  // its hydrogens are left out
}

TEST(SurfaceAreas, OfChainsInContactAreSmaller) {
  const std::string dimer = NFOLD_STRUCTURES "/1hpv.pdb.gz";
  const auto both = surface_areas(read_structure(dimer));
  auto apart = surface_areas(read_structure(dimer, {1, {"A"}}));
  const auto second = surface_areas(read_structure(dimer, {1, {"B"}}));
  apart.insert(apart.end(), second.begin(), second.end());
  ASSERT_EQ(both.size(), apart.size());
  for (std::size_t i = 0; i < both.size(); ++i) EXPECT_LE(both[i], apart[i] + 1e-12);
  EXPECT_NEAR(sum(both), 95.9761, 0.01);  // MDTraj
  EXPECT_NEAR(sum(apart), 66.3291 + 66.4375, 0.01);
}

TEST(SurfaceAreas, OfLargeStructuresAreFast) {
  const auto one = read_structure(NFOLD_STRUCTURES "/1tii.pdb.gz");
  Structure all;
  for (int copy = 0; all.residue_count() < 5000; ++copy) {
    for (Chain chain : one.chains) {
      for (Residue& residue : chain.residues) {
        for (Atom& atom : residue.heavy_atoms) atom.position_nm[0] += 20.0 * copy;
      }
      all.chains.push_back(std::move(chain));
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const double area_nm2 = sum(surface_areas(all));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_NEAR(area_nm2 / all.residue_count(), sum(surface_areas(one)) / one.residue_count(), 1e-3);
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_LT(seconds.count(), 20);  // also in a debug build
}

TEST(GivenAreas, AreNumbersByLine) {
  EXPECT_EQ(parse_areas("0.5 # open\n\n# none\n1e-2\r\n999", "areas", 3),
            (std::vector{0.5, 0.01, 999.0}));
}

TEST(GivenAreas, ErrorsNameTheLine) {
  const auto fails = [](const char* text, const char* message) {
    try {
      (void)parse_areas(text, "areas", 2);
      ADD_FAILURE() << text;
    } catch (const StructureError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
    }
  };
  fails("1\n1 2\n", "areas:2: '1 2' is no area; expected a number of nm^2 a line, 0 or more");
  fails("-1\n1\n", "areas:1: '-1' is no area");
  fails("1\n", "areas: 1 areas for 2 residues");
}

}  // namespace
}  // namespace nfold::structure
