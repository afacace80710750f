// First states in boxes, checked over all pairs of residues.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/start/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "model/start/hard_core.hpp"
#include "model/structure/point.hpp"
#include "support/condensate.hpp"

namespace nfold::start {
namespace {

using structure::Point;
using testing::HasSubstr;

// Two coordinates rounded to 2^-20 nm, or 2^-32 of a box.
constexpr double placement_grid_nm = 2e-6;
constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

std::vector<Point> positions_nm(const topology::Topology& t, const system::State& state) {
  std::vector<Point> x_nm;
  x_nm.reserve(state.position.size());
  for (const auto& position : state.position) {
    x_nm.push_back(system::position_nm(t.box, position));
  }
  return x_nm;
}

double nearest_nm(const system::Box& box, const Point& a, const Point& b) {
  Point d;
  for (std::size_t k = 0; k < 3; ++k) d[k] = box.nearest_nm(k, a[k] - b[k]);
  return structure::norm(d);
}

/// Checks all pairs except bonded ones and those for which `skip` holds.
template <class Skip>
void expect_hard_core(const topology::Topology& t, const PlacedStart& start, Skip&& skip) {
  const HardCore core(t, start.hard_core_fraction);
  const auto x_nm = positions_nm(t, start.state);
  ASSERT_EQ(x_nm.size(), t.residues.size());
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    for (std::size_t j = i + 1; j < x_nm.size(); ++j) {
      if ((j == i + 1 && t.residues[i].chain == t.residues[j].chain) || skip(i, j)) continue;
      const double least = std::sqrt(core.squared_nm2(t.residues[i].type, t.residues[j].type));
      ASSERT_GT(nearest_nm(t.box, x_nm[i], x_nm[j]), least - placement_grid_nm) << i << " " << j;
    }
  }
}
void expect_hard_core(const topology::Topology& t, const PlacedStart& start) {
  expect_hard_core(t, start, [](std::size_t, std::size_t) { return false; });
}

/// Checks bond lengths without images, so chains are whole.
void expect_bonds(const topology::Topology& t, const PlacedStart& start) {
  const auto x_nm = positions_nm(t, start.state);
  for (const auto& bond : t.bonds) {
    ASSERT_NEAR(structure::distance(x_nm[static_cast<std::size_t>(bond.i)],
                                    x_nm[static_cast<std::size_t>(bond.j)]),
                bond.length_nm, placement_grid_nm)
        << bond.i;
  }
}

/// Checks angles from 90 to 150 degrees.
void expect_free_angles(const topology::Topology& t, const PlacedStart& start) {
  const auto x_nm = positions_nm(t, start.state);
  for (std::size_t i = 2; i < x_nm.size(); ++i) {
    if (t.residues[i].chain != t.residues[i - 2].chain) continue;
    const double across_nm = structure::distance(x_nm[i], x_nm[i - 2]);
    ASSERT_GT(across_nm, 0.76 * std::sin(std::numbers::pi / 4) - placement_grid_nm);
    ASSERT_LT(across_nm, 0.76 * std::sin(75 * std::numbers::pi / 180) + placement_grid_nm);
  }
}

topology::Topology two_species(const Point& box_nm) {
  topology::Topology t;
  t.short_range = testing_support::condensate_pairs();
  t.box.length_nm = box_nm;
  testing_support::add_disordered_chains(t, 12, 30, 1);
  testing_support::add_disordered_chains(t, 8, 55, 2);
  return t;
}

class PlacementKinds : public testing::TestWithParam<PlacementKind> {
 protected:
  topology::Topology t_ = two_species({9.3, 10, 11});
  PlacementSettings settings_{.kind = GetParam(), .seed = 7};
};

TEST_P(PlacementKinds, KeepsBondsAndHardCore) {
  const auto start = placed_start(t_, settings_);
  EXPECT_EQ(start.hard_core_fraction, 1);
  expect_hard_core(t_, start);
  expect_bonds(t_, start);
  expect_free_angles(t_, start);
  EXPECT_EQ(start.state.step, 0);
  for (std::size_t i = 0; i < t_.residues.size(); ++i) {
    EXPECT_EQ(start.state.id[i], static_cast<int>(i));
    EXPECT_EQ(start.state.velocity[i], (system::Velocity{0, 0, 0}));
    for (const auto counts : start.state.position[i]) EXPECT_EQ(counts % 4096, 0);
  }
}

TEST_P(PlacementKinds, FollowsTheSeed) {
  const auto start = placed_start(t_, settings_);
  EXPECT_EQ(placed_start(t_, settings_).state.position, start.state.position);
  settings_.seed = 8;
  EXPECT_NE(placed_start(t_, settings_).state.position, start.state.position);
}

TEST_P(PlacementKinds, StartsWithoutABox) {
  t_.box.length_nm = {0, 0, 0};
  if (GetParam() == PlacementKind::slab) {
    EXPECT_THROW((void)placed_start(t_, settings_), PlacementError);
    t_.box.length_nm = {9, 10, 0};
  }
  const auto start = placed_start(t_, settings_);
  expect_hard_core(t_, start);
  expect_bonds(t_, start);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PlacementKinds,
                         testing::Values(PlacementKind::random, PlacementKind::lattice,
                                         PlacementKind::slab, PlacementKind::droplet));

TEST(Placement, ShrinksHardCoreInDenseBoxes) {
  const auto t = two_species({5.8, 5.9, 6.0});  // 3.9 residues/nm^3, 710 mg/ml
  const auto start = placed_start(t, {.kind = PlacementKind::random, .seed = 3});
  EXPECT_LT(start.hard_core_fraction, 1);
  EXPECT_GE(start.hard_core_fraction, 0.8);
  ASSERT_EQ(start.notes.size(), 2U);
  EXPECT_THAT(start.notes[0], HasSubstr("3.9 residues/nm3, 711"));
  EXPECT_THAT(start.notes[1], HasSubstr("minimise"));
  expect_hard_core(t, start);
  expect_bonds(t, start);
}

/// The species fills its block, and the other species is anywhere.
TEST(Placement, SpeciesStartInTheirBlocks) {
  auto t = two_species({9, 9, 40});
  PlacementSettings settings{.seed = 4};
  settings.block_of_species = {{}, {{0, 0, 17}, {0, 0, 24}}};
  const auto start = placed_start(t, settings);
  expect_hard_core(t, start);
  expect_bonds(t, start);
  const auto x_nm = positions_nm(t, start.state);
  int outside = 0;
  double low = 40, high = 0;
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    const double z = x_nm[i][2] - 40 * std::floor(x_nm[i][2] / 40);
    const auto chain = static_cast<std::size_t>(t.residues[i].chain);
    if (t.chains[chain].species == 0) {
      outside += z < 17 || z > 24 ? 1 : 0;
      continue;
    }
    low = std::min(low, z);
    high = std::max(high, z);
  }
  EXPECT_GE(low, 17 - placement_grid_nm);
  EXPECT_LT(low, 18);
  EXPECT_LE(high, 24 + placement_grid_nm);
  EXPECT_GT(high, 23);
  EXPECT_GT(outside, 100);
  ASSERT_EQ(start.notes.size(), 2U);
  EXPECT_THAT(start.notes[1],
              HasSubstr("species S1 from 17 to 24 nm along z, 0.776 residues/nm3 of it there"));
  settings.block_of_species[1].to_nm[2] = 41;
  EXPECT_THROW((void)placed_start(t, settings), PlacementError);
}

TEST(Placement, ErrorNamesFeasibleSystem) {
  const auto t = two_species({4.5, 4.5, 4.5});  // 8.8 residues/nm^3
  try {
    (void)placed_start(t, {.kind = PlacementKind::random});
    FAIL() << "800 residues in 91 nm^3";
  } catch (const PlacementError& error) {
    EXPECT_THAT(error.what(), HasSubstr(" at 8.78 residues/nm3, 1604 mg/ml: "));
    EXPECT_THAT(error.what(), HasSubstr("of 20 molecules fill the box"));
    EXPECT_THAT(error.what(), HasSubstr("take a larger box"));
  }
}

TEST(Slab, HoldsAllResiduesInTheMiddle) {
  auto t = two_species({60, 10, 9});
  for (const double thickness_nm : {0.0, 6.0}) {
    const auto start = placed_start(t, {.kind = PlacementKind::slab,
                                        .slab_axis = 0,
                                        .slab_thickness_nm = thickness_nm,
                                        .seed = 2});
    const double half_nm = thickness_nm > 0 ? thickness_nm / 2 : 800 / (2 * 90.0) / 2;
    for (const auto& x : positions_nm(t, start.state))
      EXPECT_LE(std::abs(x[0] - 30), half_nm + placement_grid_nm);
    expect_hard_core(t, start);
    expect_bonds(t, start);
  }
}

TEST(Slab, MustFitIntoTheBox) {
  const auto t = two_species({9, 9, 4});
  EXPECT_THROW((void)placed_start(t, {.kind = PlacementKind::slab}), PlacementError);
  EXPECT_THROW((void)placed_start(t, {.kind = PlacementKind::slab, .slab_thickness_nm = -1}),
               PlacementError);
  EXPECT_THROW((void)placed_start(t, {.kind = PlacementKind::slab, .slab_axis = 3}),
               PlacementError);
}

TEST(Droplet, HoldsAllResiduesInASphere) {
  const auto t = two_species({30, 40, 50});
  const auto start =
      placed_start(t, {.kind = PlacementKind::droplet, .droplet_radius_nm = 4.7, .seed = 2});
  for (const auto& x : positions_nm(t, start.state)) {
    EXPECT_LE(structure::distance(x, {15, 20, 25}), 4.7 + placement_grid_nm);
  }
  expect_hard_core(t, start);
  EXPECT_THROW((void)placed_start(two_species({30, 40, 9}), {.kind = PlacementKind::droplet}),
               PlacementError);
}

TEST(Lattice, PutsCoilsOnSites) {
  topology::Topology t;
  t.short_range = testing_support::condensate_pairs();
  t.box.length_nm = {60, 60, 30};
  testing_support::add_disordered_chains(t, 16, 30, 4);
  const auto start = placed_start(t, {.kind = PlacementKind::lattice});
  const auto x_nm = positions_nm(t, start.state);
  std::vector<int> chains_at(18, 0);
  for (const auto& chain : t.chains) {
    Point centre{0, 0, 0};
    for (int i = chain.first; i < chain.first + chain.count; ++i) {
      for (std::size_t k = 0; k < 3; ++k) centre[k] += x_nm[static_cast<std::size_t>(i)][k] / 30;
    }
    // 3 x 3 x 2 cells, about cubes, are the fewest for 16.
    std::size_t site = 0;
    const std::array<int, 3> cells{3, 3, 2};
    const std::array<double, 3> edge_nm{20, 20, 15};
    for (std::size_t k = 0; k < 3; ++k) {
      const double coordinate = centre[k] / edge_nm[k] - 0.5;
      EXPECT_NEAR(coordinate, std::round(coordinate), 1e-6);
      site = site * static_cast<std::size_t>(cells[k]) +
             static_cast<std::size_t>(std::lround(coordinate));
    }
    EXPECT_EQ(++chains_at.at(site), 1);
  }
}

/// Alpha carbon i of a helix.
Point helix(int i, double x_nm) {
  const double turn = 1.7453292519943295 * i;
  return {x_nm + 0.23 * std::cos(turn), 0.23 * std::sin(turn), 0.15 * i};
}

/// Tail of 10, helix 10 .. 24, linker of 5, helix 30 .. 44 beside the first, tail of 15.
topology::Topology folded_chains(int copies, const Point& box_nm) {
  topology::Topology t;
  t.short_range = testing_support::condensate_pairs();
  t.box.length_nm = box_nm;
  testing_support::add_disordered_chains(t, copies, 60, 5);
  t.native_nm.items().assign(t.residues.size(), {nowhere, nowhere, nowhere});
  for (const auto& chain : t.chains) {
    for (int i = 10; i < 45; ++i) {
      const bool second = i >= 30;
      if (i >= 25 && !second) continue;
      const auto id = static_cast<std::size_t>(chain.first) + static_cast<std::size_t>(i);
      t.native_nm.items()[id] = helix(second ? 44 - i : i - 10, second ? 1.1 : 0);
      t.residues.items()[id].domain = 2 * t.residues[id].chain + (second ? 1 : 0);
      if (i == (second ? 30 : 10)) continue;
      const auto bonds_before = std::size_t{59} * static_cast<std::size_t>(t.residues[id].chain);
      t.bonds.items()[bonds_before + static_cast<std::size_t>(i) - 1].length_nm =
          structure::distance(t.native_nm[id - 1], t.native_nm[id]);
      if (i > (second ? 31 : 11))
        t.restraints.push_back({chain.first + i - 2, chain.first + i, 0.55, 700});
    }
  }
  return t;
}

class PlacementConformations : public testing::TestWithParam<Conformation> {};

TEST_P(PlacementConformations, KeepsFoldedDomains) {
  const auto t = folded_chains(12, {9, 9, 9});
  const auto start =
      placed_start(t, {.kind = PlacementKind::random, .conformation = GetParam(), .seed = 5});
  const auto x_nm = positions_nm(t, start.state);
  const auto is_known = [&t](std::size_t i) { return t.residues[i].domain >= 0; };
  const auto in_one_body = [&](std::size_t i, std::size_t j) {
    return t.residues[i].chain == t.residues[j].chain && is_known(i) && is_known(j);
  };
  expect_bonds(t, start);
  expect_hard_core(t, start, in_one_body);
  int compared = 0;
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    for (std::size_t j = i + 1; j < x_nm.size(); ++j) {
      if (!in_one_body(i, j)) continue;
      ASSERT_NEAR(structure::distance(x_nm[i], x_nm[j]),
                  structure::distance(t.native_nm[i], t.native_nm[j]), 2 * placement_grid_nm);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 12 * 30 * 29 / 2);  // 30 residues of each chain
}

INSTANTIATE_TEST_SUITE_P(Conformations, PlacementConformations,
                         testing::Values(Conformation::native, Conformation::unfolded));

TEST(FoldedChains, KeepKnownLinkers) {
  auto t = folded_chains(3, {14, 14, 14});
  for (const auto& chain : t.chains) {
    for (int i = 25; i < 30; ++i) {
      const auto id = static_cast<std::size_t>(chain.first) + static_cast<std::size_t>(i);
      t.native_nm.items()[id] = {0.3 * (i - 25), 1.5, 2.2};
    }
  }
  const auto start = placed_start(t, {.kind = PlacementKind::random, .seed = 6});
  const auto x_nm = positions_nm(t, start.state);
  for (const std::size_t i : {25U, 27U, 29U}) {
    EXPECT_NEAR(structure::distance(x_nm[i], x_nm[12]),
                structure::distance(t.native_nm[i], t.native_nm[12]), placement_grid_nm);
  }
}

TEST(FoldedChains, HaveRandomOrientations) {
  const auto t = folded_chains(12, {20, 20, 20});
  const auto x_nm = positions_nm(t, placed_start(t, {.kind = PlacementKind::lattice}).state);
  double least = 1, most = -1;
  for (const auto& chain : t.chains) {
    const auto first = static_cast<std::size_t>(chain.first);
    const Point axis = structure::difference(x_nm[first + 24], x_nm[first + 10]);
    least = std::min(least, axis[2] / structure::norm(axis));
    most = std::max(most, axis[2] / structure::norm(axis));
  }
  EXPECT_LT(least, -0.3);
  EXPECT_GT(most, 0.3);
}

TEST(FoldedChains, StayTogetherUnderRestraints) {
  auto t = folded_chains(4, {12, 12, 12});
  for (std::size_t i = 60; i < 120; ++i)
    t.native_nm.items()[i][1] += 1.3;  // chain 1 beside chain 0
  t.restraints.push_back({12, 72, 1.3, 700});
  const auto start = placed_start(t, {.kind = PlacementKind::random, .seed = 4});
  const auto x_nm = positions_nm(t, start.state);
  for (const std::size_t i : {10U, 24U, 30U, 44U}) {
    for (const std::size_t j : {70U, 84U, 90U, 104U}) {
      EXPECT_NEAR(structure::distance(x_nm[i], x_nm[j]),
                  structure::distance(t.native_nm[i], t.native_nm[j]), placement_grid_nm);
    }
  }
  EXPECT_GT(nearest_nm(t.box, x_nm[132], x_nm[192]), 1.5);  // the other two are separate
}

TEST(FoldedChains, AvoidTheirOwnImage) {
  const auto t = folded_chains(1, {2.45, 9, 9});  // ends of helices of 2.1 nm would meet along x
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto start = placed_start(t, {.kind = PlacementKind::random, .seed = seed});
    const auto x_nm = positions_nm(t, start.state);
    expect_hard_core(t, start, [&](std::size_t i, std::size_t j) {
      return structure::distance(x_nm[i], x_nm[j]) <
                 nearest_nm(t.box, x_nm[i], x_nm[j]) + placement_grid_nm &&
             t.residues[i].domain >= 0 && t.residues[j].domain >= 0;
    });
  }
}

TEST(FoldedChains, NeedWideRegionsAndReferenceCoordinates) {
  auto t = folded_chains(2, {9, 9, 30});
  EXPECT_THROW((void)placed_start(t, {.kind = PlacementKind::slab, .slab_thickness_nm = 1.5}),
               PlacementError);
  t.native_nm.items()[12] = {nowhere, nowhere, nowhere};
  EXPECT_THROW((void)placed_start(t, {.kind = PlacementKind::slab}), PlacementError);
  t.restraints.clear();  // held by other terms
  EXPECT_THROW((void)placed_start(t, {.kind = PlacementKind::slab}), PlacementError);
}

TEST(HardCore, FollowsThePotential) {
  topology::Topology t;
  t.residues.items().resize(2);
  t.residues.items()[1].type = 1;
  t.short_range.sigma_nm = 0.4;
  EXPECT_NEAR(HardCore(t, 1).squared_nm2(0, 1), 0.48 * 0.48, 1e-12);
  t.short_range.form = topology::ShortRangeForm::ashbaugh_hatch;
  t.short_range.type_sigma_nm = {0.4, 0.6};
  EXPECT_NEAR(HardCore(t, 0.9).squared_nm2(0, 1), 0.45 * 0.45, 1e-12);
  EXPECT_NEAR(HardCore(t, 0.9).largest_nm(), 0.54, 1e-12);
  t.short_range.form = topology::ShortRangeForm::wang_frenkel;
  t.short_range.type_names = {"A", "B"};
  t.short_range.pairs = {{1, 0.5, 2}, {1, 0.6, 4}, {1, 0.6, 4}, {1, 0.7, 11}};
  const HardCore relaxed(t, 0.8);
  EXPECT_NEAR(relaxed.squared_nm2(0, 0), 0.4 * 0.4, 1e-12);
  EXPECT_NEAR(relaxed.squared_nm2(0, 1), 0.8 * 0.36, 1e-12);
  // (sigma / r)^22 no larger than (1 / 0.8)^4
  EXPECT_LE(std::pow(0.49 / relaxed.squared_nm2(1, 1), 11), 2.45);
  t.short_range.form = topology::ShortRangeForm::kim_hummer;
  EXPECT_NEAR(HardCore(t, 0.8).squared_nm2(1, 1), 0.56 * 0.56, 1e-12);
  // Tabulated: about sigma, 0.6 nm.
  const pair_forms::PairFunction core{
      pair_forms::FunctionKind::lennard_jones, {0.8368, 0.6}, nullptr, 1, 2};
  t.short_range = pair_forms::TabulatedPairs::make({{core}, {core}, {core}, {}}, {"A", "B"},
                                                   topology::ShortRangeForm::tabulated);
  EXPECT_NEAR(std::sqrt(HardCore(t, 0.8).squared_nm2(0, 1)), 0.48, 0.02);
  EXPECT_EQ(HardCore(t, 0.8).squared_nm2(1, 1), 0);
}

}  // namespace
}  // namespace nfold::start
