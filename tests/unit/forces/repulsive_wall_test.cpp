// Repulsive wall: distance beyond which no pair of a model exceeds a force.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/forces/repulsive_wall.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using nfold::forces::wall_nm;
namespace pair_forms = nfold::pair_forms;
using nfold::topology::Electrostatics;
using nfold::topology::ShortRange;
using nfold::topology::ShortRangeForm;

/// Magnitude of the force from central differences of energy(r).
template <class Energy>
double numerical_force(const Energy& energy, double r) {
  constexpr double h = 1e-6;
  return std::abs(energy(r + h) - energy(r - h)) / (2 * h);
}

template <class Energy>
double largest_force(const Energy& energy, double from, double to) {
  double largest = 0;
  for (double r = from; r < to; r += 1e-3) largest = std::max(largest, numerical_force(energy, r));
  return largest;
}

double lennard_jones(double epsilon, double sigma, double r) {
  const double q3 = std::pow(sigma / r, 6);
  return 4 * epsilon * q3 * (q3 - 1);
}

TEST(RepulsiveWall, MatchesRepulsion) {
  ShortRange s;
  s.epsilon_kj_mol = 1;
  const double wall = wall_nm(s, 1000);
  const auto energy = [&](double r) { return s.epsilon_kj_mol * std::pow(s.sigma_nm / r, 12); };
  EXPECT_NEAR(numerical_force(energy, wall), 1000, 1);
}

TEST(RepulsiveWall, BoundsAshbaughHatch) {
  ShortRange s;
  s.form = ShortRangeForm::ashbaugh_hatch;
  s.epsilon_kj_mol = 0.8368;
  s.cutoff_nm = 2;
  s.type_sigma_nm = {0.45, 0.68};
  s.type_lambda = {0.1, 1.2};
  const double wall = wall_nm(s, 1000);
  for (const double l : {0.0, 0.1, 0.65, 1.0, 1.2}) {
    for (const double sigma : {0.45, 0.565, 0.68}) {
      const auto energy = [&](double r) {
        const double lj = lennard_jones(s.epsilon_kj_mol, sigma, r);
        return r < std::pow(2.0, 1.0 / 6) * sigma ? lj + s.epsilon_kj_mol * (1 - l) : l * lj;
      };
      EXPECT_LT(largest_force(energy, wall, 2), 1000) << l << " " << sigma;
    }
  }
  // The wall is not much too far: the largest residues have half of the force there.
  const auto core = [&](double r) { return lennard_jones(s.epsilon_kj_mol, 0.68, r); };
  EXPECT_GT(numerical_force(core, wall), 500);
  EXPECT_LT(wall, 0.68);
}

TEST(RepulsiveWall, BoundsWangFrenkel) {
  ShortRange s;
  s.form = ShortRangeForm::wang_frenkel;
  s.type_names = {"A", "B"};
  s.cutoff_nm = 3 * 0.7;
  s.pairs = {{0.5, 0.55, 2}, {0.9, 0.6, 4}, {0.9, 0.6, 4}, {0.2, 0.7, 11}};
  const double wall = wall_nm(s, 1000);
  for (const auto& pair : s.pairs) {
    const double x = std::pow(3.0, 2 * pair.shape);
    const auto energy = [&](double r) {
      const double y = std::pow(pair.sigma_nm / r, 2 * pair.shape);
      return pair.epsilon_kj_mol * 6.75 * std::pow(1 - 1 / x, -3) * (y - 1) * (y - 1 / x) *
             (y - 1 / x);
    };
    EXPECT_LT(largest_force(energy, wall, 3 * pair.sigma_nm), 1000);
  }
  EXPECT_LT(wall, 0.75);
}

TEST(RepulsiveWall, BoundsKimHummer) {
  ShortRange s;
  s.form = ShortRangeForm::kim_hummer;
  s.type_names = {"A", "B"};
  s.cutoff_nm = 2;
  s.pairs = {{0.5, 0.55, 1}, {0.9, 0.6, -1}, {0.9, 0.6, -1}, {3.2, 0.7, 1}};
  const double wall = wall_nm(s, 1000);
  for (const auto& pair : s.pairs) {
    const auto energy = [&](double r) {
      const double lj = lennard_jones(pair.epsilon_kj_mol, pair.sigma_nm, r);
      const bool is_core = r < std::pow(2.0, 1.0 / 6) * pair.sigma_nm;
      return is_core ? lj + pair.epsilon_kj_mol * (1 - pair.shape) : pair.shape * lj;
    };
    EXPECT_LT(largest_force(energy, wall, 2), 1000);
  }
  EXPECT_LT(wall, 0.7);
}

TEST(RepulsiveWall, BoundsTabulatedPairs) {
  const pair_forms::PairFunction core{
      pair_forms::FunctionKind::lennard_jones, {0.9, 0.6}, nullptr, 1, 2};
  auto s = pair_forms::TabulatedPairs::make({{core}}, {"A"}, ShortRangeForm::tabulated);
  const auto energy = [](double r) { return lennard_jones(0.9, 0.6, r); };
  const double wall = wall_nm(s, 1000);
  EXPECT_LT(largest_force(energy, wall, 2), 1000);
  EXPECT_GT(numerical_force(energy, wall), 700);
  s.site_factors = {2};
  EXPECT_LT(4 * largest_force(energy, wall_nm(s, 1000), 2), 1000);
}

TEST(RepulsiveWall, MatchesCharges) {
  const Electrostatics e{1.735, 1.0, 4.0, true};
  const double wall = wall_nm(e, 2, 100);
  const auto energy = [](double r) { return 4 * 1.735 * std::exp(-r) / r; };
  EXPECT_NEAR(numerical_force(energy, wall), 100, 0.1);
  EXPECT_EQ(wall_nm(e, 2, 1e-9), 4.0);
  EXPECT_EQ(wall_nm(Electrostatics{}, 0, 100), 0);
}

}  // namespace
