// Potential terms against closed forms and numerical slopes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/ashbaugh_hatch.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/contact_12_10.hpp"
#include "kernels/potentials/contact_gaussian.hpp"
#include "kernels/potentials/debye_hueckel.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "kernels/potentials/flexible_dihedral.hpp"
#include "kernels/potentials/local_pair.hpp"
#include "kernels/potentials/repulsion_12.hpp"
#include "kernels/potentials/tabulated_angle.hpp"
#include "kernels/potentials/wang_frenkel.hpp"

namespace nfold::kernels {
namespace {

constexpr double degree = M_PI / 180;

/// Differences of consecutive positions, as a term takes them.
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
/// Forces on all ends, including the closing one.
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

/// Compares forces with a fourth-order central difference.
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

/// Angle of alanine in AICG2+: range, slope of the outer lines, nodes, and second derivatives of
/// scipy's natural spline times h^2 / 6.
const std::vector<double> tabulated_alanine{1.309,
                                            1 / 0.17453333333333343,
                                            1.31,
                                            2.74,
                                            125.52,
                                            20.92,
                                            5.6066,
                                            3.5146,
                                            4.8953,
                                            3.4309,
                                            4.184,
                                            5.3137,
                                            6.3597,
                                            13.389,
                                            41.84,
                                            0.0,
                                            3.227783475151068,
                                            0.3102660993957355,
                                            -0.9961478727340016,
                                            0.8292253915402648,
                                            -0.10325369342705683,
                                            -0.03961061783203594,
                                            0.1779961647552011,
                                            5.310925958811213,
                                            0.0};

// Covers both lines and each interval on both sides of its borders.
TEST(Terms, TabulatedAngleIsASplineBetweenTwoLines) {
  const auto at = [](double theta) {
    double slope = 0;
    const double energy = TabulatedAngle::value(theta, tabulated_alanine.data(), slope);
    return std::array{energy, slope};
  };
  constexpr double h = 1e-5;
  for (double theta = 1.2; theta < 3.0; theta += 0.0137) {
    EXPECT_NEAR((at(theta + h)[0] - at(theta - h)[0]) / (2 * h), at(theta)[1], 2e-3) << theta;
  }
  for (int node = 0; node < TabulatedAngle::nodes - 1; ++node) {
    const double theta = tabulated_alanine[0] + node / tabulated_alanine[1];
    if (node == 0) continue;  // within the lower line
    EXPECT_NEAR(at(theta)[0], tabulated_alanine[5 + static_cast<std::size_t>(node)], 1e-9);
    EXPECT_NEAR(at(theta + 1e-9)[1], at(theta - 1e-9)[1], 1e-5) << node;
  }
  EXPECT_EQ(at(1.2)[1], -125.52);
  EXPECT_EQ(at(2.9)[1], 125.52);
  EXPECT_NEAR(at(1.2)[0], at(1.31)[0] + 0.11 * 125.52, 1e-12);
  EXPECT_NEAR(at(2.9)[0], at(2.74)[0] + 0.16 * 125.52, 1e-12);
}

TEST(Terms, ForceIsMinusGradient) {
  expect_slopes_at_random<TabulatedAngle>(tabulated_alanine);
  expect_slopes_at_random<Bond>({0.38, 20000});
  expect_slopes_at_random<Angle>({110 * degree, 40});
  expect_slopes_at_random<Dihedral>({std::cos(50 * degree), std::sin(50 * degree), 1, 0.5});
  expect_slopes_at_random<FlexibleDihedral>({1.37, 0.91, -0.33, 0.19, -1.33, 0.07, -0.58,
                                             std::cos(50 * degree), std::sin(50 * degree), 15, 44});
  expect_slopes_at_random<FlexibleDihedral>({1.37, 0.91, -0.33, 0.19, -1.33, 0.07, -0.58,
                                             std::cos(179 * degree), std::sin(179 * degree), 15,
                                             1});
  expect_slopes_at_random<Contact1210>({0.5 * 0.5, 1});
  expect_slopes_at_random<ContactGaussian>({0.5, 1, 1 / (0.05 * 0.05), 1.6777216e-5});
  expect_slopes_at_random<LocalPair>({0.4 * 0.4, 12.552, 1.18, 1.73, 1.27, 0.3});
  expect_slopes_at_random<LocalPair>({0.6 * 0.6, 0.8368, 0.4, -1.73, 1.27, 0});
}

/// Angles of 180 and 0 degrees, and within rounding of them, in either precision.
template <class Real>
void expect_finite_near_a_line(double theta0, double k) {
  const auto theta = static_cast<Real>(theta0), stiffness = static_cast<Real>(k);
  const Real p[2]{theta, stiffness};
  for (const double along : {1.0, -1.0}) {
    for (double off = 1e-9; off < 0.2; off *= 1.7) {
      for (const double bent : {0.0, off}) {
        const Real d[6]{Real(0.59), 0, 0, Real(0.59 * along), Real(0.59 * bent), 0};
        Real f[9] = {};
        Angle::forces(d, p, f);
        // |dU/dtheta| / length, with the rounding of the angle
        const double slope = k * (std::abs((along > 0 ? M_PI - bent : bent) - theta0) + 2e-6);
        for (const int end : {0, 2}) {
          for (int axis = 0; axis < 3; ++axis) {
            ASSERT_LE(std::abs(static_cast<double>(f[3 * end + axis])), 1.3 * slope / 0.59)
                << theta0 << " " << along << " " << bent;
          }
        }
      }
    }
  }
}

TEST(Terms, AngleOfALineHasFiniteForces) {
  for (const double theta0 : {M_PI, 3.14, 2.6}) {
    expect_finite_near_a_line<double>(theta0, 4.2);
    expect_finite_near_a_line<float>(theta0, 4.2);
  }
  // Bends from 1e-4 to 1 rad about a straight chain, theta0 = 180 degrees: F_0 = k bend / length.
  const double straight[2]{M_PI, 4.2};
  for (const double bend : {1e-9, 1e-6, 1e-3, 0.1, 1.0}) {
    const double d[6]{0.6, 0, 0, 0.6 * std::cos(bend), 0.6 * std::sin(bend), 0};
    double f[9] = {};
    Angle::forces(d, straight, f);
    EXPECT_NEAR(f[1], -4.2 * bend / 0.6, 1e-6 * (bend + 1e-9)) << bend;
    EXPECT_NEAR(f[0], 0, 1e-12);
  }
}

/// forces() of bond vectors returns an upper bound of its components.
TEST(Terms, ForcesAreWithinTheirBounds) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> any(-1, 1);
  const float bond[]{0.38F, 20000}, angle[]{1.9F, 40}, dihedral[]{0.6F, 0.8F, 1, 0.5F};
  double tightest = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    float d[9];
    for (float& x : d) x = any(random);
    const BondVector<float> a(d), b(d + 3), c(d + 6);
    const BondPlane<float> ab(a, b), bc(b, c);
    float f[12] = {};
    const auto expect_within = [&](float bound, const std::vector<int>& ends) {
      float largest = 0;
      for (const int e : ends) {
        for (int axis = 0; axis < 3; ++axis) largest = std::max(largest, std::abs(f[3 * e + axis]));
      }
      ASSERT_LE(largest, 1.001F * bound);
      tightest = std::max(tightest, static_cast<double>(largest / bound));
    };
    expect_within(Bond::forces(a, bond, f), {0});
    expect_within(Angle::forces(a, b, ab, angle, f), {0, 2});
    expect_within(Dihedral::forces(a, b, ab, bc, dihedral, f), {0, 1, 3});
  }
  EXPECT_GT(tightest, 0.9);
}

/// A pair at distance r: energy and the force on the first end along r_0 - r_1.
template <class Term>
std::pair<double, double> at_distance(double r, const std::vector<double>& p) {
  const std::vector<double> x{r, 0, 0, 0, 0, 0};
  return {energy<Term>(x, p), forces<Term>(x, p)[0]};
}

// The numbers below are the cases of physics.md H, computed with 40-digit arithmetic.
TEST(Terms, BondMatchesReference) {
  const std::vector<double> go{0.38, 20000}, calvados{0.38, 8033};
  EXPECT_NEAR(at_distance<Bond>(0.40, go).first, 4, 1e-11);
  EXPECT_NEAR(at_distance<Bond>(0.40, go).second, -400, 1e-9);
  EXPECT_NEAR(at_distance<Bond>(0.36, calvados).first, 1.6066, 1e-12);
  EXPECT_NEAR(at_distance<Bond>(0.36, calvados).second, 160.66, 1e-9);
}

TEST(Terms, Contact1210MatchesReference) {
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

// 40-digit arithmetic: the core and the tail of Ashbaugh-Hatch, charges alone, and all together.
TEST(Terms, LocalPairMatchesReference) {
  struct Case {
    double r;
    std::vector<double> p;
    double energy, force;
  };
  const Case cases[]{
      {0.42, {0.16, 12.552, 1.18, 0, 0, 0}, -11.767649542472892, 263.56290784837165},
      {0.7, {0.16, 12.552, 1.18, 0, 0, -0.004}, -1.9868429865054658, -16.448835152415583},
      {2.5, {0.16, 12.552, 0.65, 0, 0, 0}, -0.00054751861361104, -0.0013140226262853122},
      {0.9, {0.36, 0, 0.4, -0.25, 1.27, -0.01}, -0.078572500693985081, -0.21090096554134449},
      {0.55, {0.36, 0.31, 0.4, 0.12, 1.27, 0.02}, 1.7072469990320223, 54.395197699799901},
  };
  for (const auto& [r, p, energy, force] : cases) {
    const auto found = at_distance<LocalPair>(r, p);
    EXPECT_NEAR(found.first, energy, 1e-12 * (1 + std::abs(energy)));
    EXPECT_NEAR(found.second, force, 1e-12 * (1 + std::abs(force)));
  }
}

TEST(Terms, ContactGaussianMatchesReference) {
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

/// Pair potential between two residues with the given columns.
template <class Pair>
struct TwoResidues {
  Pair pair;
  PairRow<Full> first{}, second{};

  [[nodiscard]] Partners<Full> own_columns() const {
    Partners<Full> p;
    read_partner(first, p);
    return p;
  }
  [[nodiscard]] double energy(double r) const {
    Partners<Full> p;
    read_partner(second, p);
    return pair.energy(r * r, pair.own(own_columns()), p, 0);
  }
  [[nodiscard]] double force(double r) const {
    Partners<Full> p;
    read_partner(second, p);
    return pair.force_over_distance(r * r, pair.own(own_columns()), p, 0) * r;
  }
  [[nodiscard]] bool in_range(double r) const {
    Partners<Full> p;
    read_partner(second, p);
    return pair.in_range(r * r, pair.own(own_columns()), p, 0);
  }
  void expect(double r, double u, double f) const {
    EXPECT_NEAR(energy(r), u, 1e-12 * (1 + std::abs(u))) << r;
    EXPECT_NEAR(force(r), f, 1e-11 * (1 + std::abs(f))) << r;
    const double h = 1e-5;
    EXPECT_NEAR(f, -(energy(r + h) - energy(r - h)) / (2 * h), 1e-6 * (1 + std::abs(f))) << r;
  }
};

TEST(Pairs, RepulsionMatchesReference) {
  const TwoResidues<Repulsion12<double>> two{{1, 12, 0.16, 1.21}};
  two.expect(0.35, 4.964818353818652, 170.22234355949664);
  two.expect(0.4, 1, 30);
  two.expect(0.5, 0.068719476736, 1.649267441664);
  two.expect(0.8, 0.000244140625, 0.003662109375);
  EXPECT_TRUE(two.in_range(1.09));
  EXPECT_FALSE(two.in_range(1.11));
}

TEST(Pairs, AshbaughHatchMatchesReference) {  // CALVADOS 2, physics.md H 6
  TwoResidues<AshbaughHatch<double, false>> two{{0.8368, 24 * 0.8368, 4, 0, true, false}};
  two.first.half_sigma = 0.5 * 0.646;
  two.first.half_lambda = 0.5 * 0.977461144934;
  two.second.half_sigma = 0.5 * 0.656;
  two.second.half_lambda = 0.5 * 0.730762476752;
  two.expect(0.65, 0.15677909430560, 31.761449968861);
  two.expect(0.75, -0.69637190362031, -1.4148051520055);
  two.expect(1.0, -0.19765148499571, -1.1069010530874);
  EXPECT_FALSE(two.in_range(2.0));
}

TEST(Pairs, AshbaughHatchRepelsForNegativeLambda) {  // HPS-Urry GLU-GLU, unshifted
  TwoResidues<AshbaughHatch<double, false>> two{{0.8368, 24 * 0.8368, 4, 0, false, false}};
  two.first.half_sigma = two.second.half_sigma = 0.5 * 0.592;
  two.first.half_lambda = two.second.half_lambda = 0.5 * -0.08;
  EXPECT_NEAR(two.energy(0.70), 0.062127400109478, 1e-13);
}

TEST(Pairs, AshbaughHatchCutsOffPerPair) {
  TwoResidues<AshbaughHatch<double, true>> two{{0.8368, 24 * 0.8368, 9, 16, true, false}};
  two.first.half_sigma = two.second.half_sigma = 0.25;
  two.first.half_lambda = two.second.half_lambda = 0.5;
  EXPECT_TRUE(two.in_range(1.99));
  EXPECT_FALSE(two.in_range(2.01));
  EXPECT_NEAR(two.energy(2.0), 0, 1e-14);
}

TEST(Pairs, AshbaughHatchWithinADomainOnlyRepels) {
  TwoResidues<AshbaughHatch<double, true>> two{{0.8368, 24 * 0.8368, 4, 0, true, true}};
  two.first.half_sigma = two.second.half_sigma = 0.25;
  two.first.half_lambda = two.second.half_lambda = 0.5;
  two.first.kind = 3 + 2 * types_at_most;
  two.second.kind = 7 + 2 * types_at_most;
  EXPECT_EQ(two.energy(0.7), 0);
  EXPECT_GT(two.energy(0.5), 0.8);
  two.second.kind = 7 + 3 * types_at_most;
  EXPECT_LT(two.energy(0.7), -0.3);
  two.first.kind = two.second.kind = 3;  // no domain at all
  EXPECT_LT(two.energy(0.7), -0.3);
}

TEST(Pairs, DebyeHueckelMatchesReference) {  // 293 K, 0.15 M, physics.md H 7
  constexpr double kappa = 1.26973757, coulomb = 138.9354576 / 80.3088473;
  TwoResidues<DebyeHueckel<double>> two{{coulomb, coulomb, kappa, 16, std::exp(-kappa * 4) / 4}};
  two.first.charge = 1;
  two.second.charge = -1;
  EXPECT_NEAR(two.energy(0.6), -1.3432740477712, 2e-6);  // CALVADOS' rounded constants
  EXPECT_NEAR(two.force(0.6), -3.9523032172285, 6e-6);
  // Computed with 40 digits from the constants above; physics.md has -0.48327726163094.
  two.expect(1.0, -0.48327729141935799, -1.1030249337346720);
  TwoResidues<DebyeHueckel<double>> mpipi{{138.9354576 / 80, 138.9354576 / 80, 1.26, 12.25, 0}};
  mpipi.first.charge = 0.75;
  mpipi.second.charge = -0.75;
  EXPECT_NEAR(mpipi.energy(0.7), -0.57769666804228, 1e-6);
  EXPECT_NEAR(mpipi.force(0.7), -1.5531787560794, 3e-6);
}

TEST(Pairs, WangFrenkelMatchesReference) {  // Mpipi ARG-TYR and ILE-ILE, physics.md H 8
  const auto entry = [](double epsilon, double sigma, int mu) {
    const double inverse_x = std::pow(3.0, -2 * mu);
    return std::array{sigma * sigma, epsilon * 6.75 * std::pow(1 - inverse_x, -3), inverse_x,
                      double(mu)};
  };
  const auto arg_tyr = entry(2.54311888, 0.67862385372, 2);
  const TwoResidues<WangFrenkel<double>> two{{arg_tyr.data(), 1, 9, 2}};
  EXPECT_NEAR(two.energy(0.7498662173383), -2.54311888, 1e-9);
  EXPECT_NEAR(two.force(0.7498662173383), 0, 1e-6);
  EXPECT_NEAR(two.energy(0.70), -1.5769864197199, 1e-6);
  EXPECT_NEAR(two.force(0.70), 49.950240958027, 2e-5);
  two.expect(0.9, -1.1656011995995327, -8.2978007974661017);  // computed with 40 digits
  EXPECT_FALSE(two.in_range(3 * 0.6787));
  const auto ile_ile = entry(0.00165268, 0.692168008917675, 11);
  const TwoResidues<WangFrenkel<double>> steep{{ile_ile.data(), 1, 9, 2}};
  EXPECT_NEAR(steep.energy(0.7050431071163), -0.00165268, 1e-12);
  steep.expect(0.80, -1.8301709024103e-5, -9.848746578912621e-4);
}

TEST(Pairs, VectorReadsMatchRows) {
  std::vector<PairRow<Mixed>> rows(40);
  for (int i = 0; i < 40; ++i) {
    const auto f = static_cast<float>(i);
    rows[static_cast<std::size_t>(i)] = {i,       100 + i, 200 + i, 0.5F * f,
                                         f + 300, f + 400, i + 500, 0};
  }
  std::vector<int> at;
  at.reserve(pair_lanes);
  for (int k = 0; k < pair_lanes; ++k) at.push_back((7 * k + 3) % 40);
  Partners<Mixed> p;
  read_partners<PairColumns::charge>(rows.data(), at.data(), 1, p);
  read_partners<PairColumns::mixing_and_kind>(rows.data(), at.data(), 1, p);
  for (int k = 0; k < pair_lanes; ++k) {
    const int i = at[static_cast<std::size_t>(k)];
    EXPECT_EQ(p.x[k], i);
    EXPECT_EQ(p.y[k], 100 + i);
    EXPECT_EQ(p.z[k], 200 + i);
    EXPECT_EQ(p.charge[k], 0.5F * static_cast<float>(i));
    EXPECT_EQ(p.half_sigma[k], static_cast<float>(300 + i));
    EXPECT_EQ(p.half_lambda[k], static_cast<float>(400 + i));
    EXPECT_EQ(p.kind[k], 500 + i);
  }
}

TEST(Terms, AngleMatchesReference) {
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

TEST(Terms, DihedralMatchesReference) {
  const std::vector<double> x{0.12, 0.36, -0.05, 0, 0, 0, 0.38, 0, 0, 0.50, -0.17, 0.31};
  const std::vector<double> p{std::cos(50 * degree), std::sin(50 * degree), 1, 0.5};
  EXPECT_NEAR(energy<Dihedral>(x, p), 1.5908383247446327, 1e-14);
  const double expected[12] = {
      0, -0.06627766338069839, -0.47719917634102843, 0, -0.09178744765419904, 0.25130145817655997,
      0, 0.5923269659313742,   0.46404131601092347,  0, -0.4342618548964768,  -0.23814359784645503};
  const auto f = forces<Dihedral>(x, p);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(f[k], expected[k], 1e-13) << k;
}

// Source: alanine's series of AICG2+ without its lowest energy, computed with 40 digits.
TEST(Terms, FlexibleDihedralMatchesReference) {
  const std::vector<double> alanine{9.2282 - 7.855427159442531,
                                    0.91337,
                                    -0.33263,
                                    0.1887,
                                    -1.3259,
                                    0.069036,
                                    -0.5753,
                                    1,
                                    0,
                                    0,
                                    1};
  for (const auto& [degrees, reference] :
       {std::pair{-120.0, 0.03057678774049999}, std::pair{-60.0, 3.1024009534960744},
        std::pair{0.0, 2.5438788405574693}, std::pair{50.0, 0.019105455881899196},
        std::pair{180.0, 0.5790668405574694}}) {
    const double phi = degrees * degree;
    const std::vector<double> x{0, 1, 0, 0, 0, 0, 1, 0, 0, 1, std::cos(phi), std::sin(phi)};
    EXPECT_NEAR(energy<FlexibleDihedral>(x, alanine), reference, 1e-13) << degrees;
  }
}

TEST(Terms, DihedralSignIsIupac) {
  // phi = +90 degrees: the energy vanishes for phi0 = 90 and not for -90.
  const std::vector<double> x{0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1};
  EXPECT_NEAR(energy<Dihedral>(x, {0, 1, 1, 0.5}), 0, 1e-15);
  EXPECT_NEAR(energy<Dihedral>(x, {0, -1, 1, 0}), 2, 1e-15);
}

}  // namespace
}  // namespace nfold::kernels
