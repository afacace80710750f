// Every term against closed forms and against its own slope.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/angle.hpp"
#include "kernels/bond.hpp"
#include "kernels/contact_12_10.hpp"
#include "kernels/contact_gaussian.hpp"
#include "kernels/dihedral.hpp"
#include "kernels/repulsion_12.hpp"

namespace nfold::kernels {
namespace {

constexpr double degree = M_PI / 180;

/// Positions of a term's ends to the differences that it takes.
template <class Term>
std::array<double, 3 * (Term::ends - 1)> differences(const std::vector<double>& x) {
  std::array<double, 3 * (Term::ends - 1)> d;
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = x[k + 3] - x[k];
  return d;
}
template <class Term>
double energy(const std::vector<double>& x, const std::vector<double>& p) {
  return Term::energy(differences<Term>(x).data(), p.data());
}
/// All ends' forces, the closing one filled in.
template <class Term>
std::vector<double> forces(const std::vector<double>& x, const std::vector<double>& p) {
  std::vector<double> f(3 * Term::ends, 0.0);
  Term::forces(differences<Term>(x).data(), p.data(), f.data());
  for (int axis = 0; axis < 3; ++axis) {
    double rest = 0;
    for (int e = 0; e < Term::ends; ++e) {
      if (e != Term::closing) rest -= f[3 * e + axis];
    }
    f[3 * Term::closing + axis] = rest;
  }
  return f;
}

/// Fourth-order central difference.
template <class Term>
void expect_force_is_minus_slope(const std::vector<double>& x, const std::vector<double>& p) {
  const auto f = forces<Term>(x, p);
  double scale = 0;
  for (const double c : f) scale = std::max(scale, std::abs(c));
  constexpr double h = 2e-5;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto at = [&](double shift) {
      auto moved = x;
      moved[k] += shift;
      return energy<Term>(moved, p);
    };
    const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(f[k], -slope, 1e-6 * scale) << "coordinate " << k;
  }
}

template <class Term>
void expect_slopes_at_random(const std::vector<double>& p) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-0.12, 0.12);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> x;
    for (int e = 0; e < Term::ends; ++e) {
      x.insert(x.end(), {0.35 * e + any(random), (e % 2) * 0.25 + any(random), any(random)});
    }
    expect_force_is_minus_slope<Term>(x, p);
  }
}

TEST(Terms, ForceIsMinusGradient) {
  expect_slopes_at_random<Bond>({0.38, 20000});
  expect_slopes_at_random<Angle>({110 * degree, 40});
  expect_slopes_at_random<Dihedral>({std::cos(50 * degree), std::sin(50 * degree), 1, 0.5});
  expect_slopes_at_random<Contact1210>({0.5 * 0.5, 1});
  expect_slopes_at_random<ContactGaussian>({0.5, 1, 1 / (0.05 * 0.05), 1.6777216e-5});
}

/// A pair at distance r: energy and the force on the first end along r_0 - r_1.
template <class Term>
std::pair<double, double> at_distance(double r, const std::vector<double>& p) {
  const std::vector<double> x{r, 0, 0, 0, 0, 0};
  return {energy<Term>(x, p), forces<Term>(x, p)[0]};
}

// The numbers below are the cases of physics.md H, computed with 40-digit arithmetic.
TEST(Terms, BondCases) {
  const std::vector<double> go{0.38, 20000}, calvados{0.38, 8033};
  EXPECT_NEAR(at_distance<Bond>(0.40, go).first, 4, 1e-11);
  EXPECT_NEAR(at_distance<Bond>(0.40, go).second, -400, 1e-9);
  EXPECT_NEAR(at_distance<Bond>(0.36, calvados).first, 1.6066, 1e-12);
  EXPECT_NEAR(at_distance<Bond>(0.36, calvados).second, 160.66, 1e-9);
}

TEST(Terms, Contact1210Cases) {
  const double cases[5][3] = {{0.54, 0.49569886260610097, 74.74824118663427},
                              {0.6, -1, 0},
                              {0.63, -0.8992924303567587, -5.435793844114271},
                              {0.72, -0.4082502234159989, -4.1124106754358865},
                              {0.9, -0.06551244634870099, -0.6422788857715783}};
  for (const auto& c : cases) {
    const auto found = at_distance<Contact1210>(c[0], {0.36, 1});
    EXPECT_NEAR(found.first, c[1], 1e-13);
    EXPECT_NEAR(found.second, c[2], 1e-12 * (1 + std::abs(c[2])));
  }
}

TEST(Terms, ContactGaussianCases) {
  const double cases[5][3] = {{0.45, 0.22950348738799745, 7.245052142957715},
                              {0.55, -0.5979151987460024, 12.584200530037842},
                              {0.6, -1, 0},
                              {0.65, -0.6053700919220163, -12.14496749498135},
                              {0.8, -9.14039029581521e-05, -0.023182681362486773}};
  for (const auto& c : cases) {
    const auto found = at_distance<ContactGaussian>(c[0], {0.6, 1, 400, 1.6777216e-5});
    EXPECT_NEAR(found.first, c[1], 1e-13);
    EXPECT_NEAR(found.second, c[2], 1e-12 * (1 + std::abs(c[2])));
  }
}

TEST(Terms, RepulsionCases) {
  const Repulsion12<double> pair{1, 0.16, 1.21};
  const double cases[4][3] = {{0.35, 4.964818353818652, 170.22234355949664},
                              {0.4, 1, 30},
                              {0.5, 0.068719476736, 1.649267441664},
                              {0.8, 0.000244140625, 0.003662109375}};
  for (const auto& c : cases) {
    EXPECT_NEAR(pair.energy(c[0] * c[0]), c[1], 1e-13 * (1 + c[1]));
    EXPECT_NEAR(pair.force_over_distance(c[0] * c[0]) * c[0], c[2], 1e-12 * (1 + c[2]));
    const double h = 1e-5, r = c[0];
    const double slope =
        (pair.energy((r + h) * (r + h)) - pair.energy((r - h) * (r - h))) / (2 * h);
    EXPECT_NEAR(c[2], -slope, 1e-6 * c[2]);
  }
}

TEST(Terms, AngleCase) {
  const std::vector<double> x{0.38, 0, 0, 0, 0, 0, -0.19, 0.33, 0.05}, p{110 * degree, 40};
  EXPECT_NEAR(energy<Angle>(x, p), 0.5674696522342104, 1e-14);
  const double expected[9] = {0,
                              17.530893916766974,
                              2.656196047994996,
                              -15.246385234403277,
                              -26.11211792212681,
                              -3.9563815033525467,
                              15.246385234403277,
                              8.581224005359834,
                              1.3001854553575507};
  const auto f = forces<Angle>(x, p);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(f[k], expected[k], 1e-12) << k;
}

TEST(Terms, DihedralCase) {
  const std::vector<double> x{0.12, 0.36, -0.05, 0, 0, 0, 0.38, 0, 0, 0.50, -0.17, 0.31};
  const std::vector<double> p{std::cos(50 * degree), std::sin(50 * degree), 1, 0.5};
  EXPECT_NEAR(energy<Dihedral>(x, p), 1.5908383247446327, 1e-14);
  const double expected[12] = {
      0, -0.06627766338069839, -0.47719917634102843, 0, -0.09178744765419904, 0.25130145817655997,
      0, 0.5923269659313742,   0.46404131601092347,  0, -0.4342618548964768,  -0.23814359784645503};
  const auto f = forces<Dihedral>(x, p);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(f[k], expected[k], 1e-13) << k;
}

TEST(Terms, DihedralSignIsIupac) {
  // phi = +90 degrees: the energy vanishes for phi0 = 90 and not for -90.
  const std::vector<double> x{0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1};
  EXPECT_NEAR(energy<Dihedral>(x, {0, 1, 1, 0.5}), 0, 1e-15);
  EXPECT_NEAR(energy<Dihedral>(x, {0, -1, 1, 0}), 2, 1e-15);
}

}  // namespace
}  // namespace nfold::kernels
