// Kernels of tabulated pairs against the functions that they tabulate.
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/potentials/tabulated_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "system/pair_forms/pair_forms.hpp"

namespace nfold::kernels {
namespace {

using pair_forms::CutoffForm, pair_forms::FunctionKind, pair_forms::PairFunction;
using Functions = std::vector<std::vector<PairFunction>>;

constexpr double unit = Mixed::force_quantum;

/// Two residues with any columns.
struct Columns {
  double half_sigma = 0, half_lambda = 0, charge = 0;
  int kind = 0;
};
template <class Precision>
Partners<Precision> partners(const Columns& columns) {
  using Real = typename Precision::Real;
  Partners<Precision> p;
  p.half_sigma[0] = static_cast<Real>(columns.half_sigma);
  p.half_lambda[0] = static_cast<Real>(columns.half_lambda);
  p.charge[0] = static_cast<Real>(columns.charge);
  p.kind[0] = columns.kind;
  return p;
}

/// A kernel with its memory.
template <class Real, class Source>
class Kernel {
 public:
  using Precision = std::conditional_t<std::is_same_v<Real, float>, Mixed, Full>;

  Kernel(const pair_forms::TabulatedFunctions& functions, const std::vector<double>& sites)
      : array_(pair_forms::TabulatedArray<Real>(functions.curves, sites.size())
                   .values(sites, std::is_same_v<Real, float> ? unit : 1)),
        kernel_(pair_forms::TabulatedArray<Real>(functions.curves, sites.size())
                    .template kernel<Source>(array_.data(), functions.types(),
                                             std::is_same_v<Real, float> ? unit : 1)) {}
  /// Returns the force [kJ/mol/nm]; 0 out of range.
  [[nodiscard]] double force(double r, const Columns& a, const Columns& b) const {
    const auto mine = partners<Precision>(a), other = partners<Precision>(b);
    const auto own = kernel_.own(mine);
    const auto r2 = static_cast<Real>(r * r);
    if (!kernel_.in_range(r2, own, other, 0)) return 0;
    const double scale = std::is_same_v<Real, float> ? unit : 1;
    return scale * static_cast<double>(kernel_.force_over_distance(r2, own, other, 0)) * r;
  }
  [[nodiscard]] double energy(double r, const Columns& a, const Columns& b) const {
    const auto mine = partners<Precision>(a), other = partners<Precision>(b);
    const auto own = kernel_.own(mine);
    return kernel_.in_range(r * r, own, other, 0) ? kernel_.energy(r * r, own, other, 0) : 0;
  }

 private:
  std::vector<Real> array_;
  TabulatedPair<Real, Source> kernel_;
};

/// Compares forces in both precisions and energies with a function, and forces with slopes.
template <class SingleSource, class Source>
void expect_matches(const pair_forms::TabulatedFunctions& functions, const Columns& a,
                    const Columns& b, double factor, const std::vector<double>& sites = {}) {
  const Kernel<float, SingleSource> single(functions, sites);
  const Kernel<double, Source> exact(functions, sites);
  const int type_a = functions.types() > 1 ? a.kind % types_at_most : 0;
  const int type_b = functions.types() > 1 ? b.kind % types_at_most : 0;
  for (double r = 0.28; r < 2.3; r *= 1.0037) {
    const auto expected = functions.value(type_a, type_b, r);
    const double force = -factor * expected.slope;
    if (std::abs(expected.slope) > 16'000) continue;
    // Rounding of q and of the cubic: some 1e-7 of the steepest part of the force.
    const double near = 3e-6 * std::max(10.0, std::abs(force));
    ASSERT_NEAR(single.force(r, a, b), force, near) << r;
    ASSERT_NEAR(exact.force(r, a, b), force, 1e-9 * std::max(5.0, std::abs(force))) << r;
    const double energy = factor * expected.energy;
    ASSERT_NEAR(exact.energy(r, a, b), energy, 1e-9 * std::max(1.0, std::abs(energy))) << r;
    constexpr double h = 1e-5;
    if (functions.value(type_a, type_b, r + 3 * h).acts != expected.acts) continue;
    const double slope = (8 * (exact.energy(r + h, a, b) - exact.energy(r - h, a, b)) -
                          (exact.energy(r + 2 * h, a, b) - exact.energy(r - 2 * h, a, b))) /
                         (12 * h);
    ASSERT_NEAR(exact.force(r, a, b), -slope, 1e-6 * std::max(1.0, std::abs(slope))) << r;
  }
}

PairFunction ashbaugh_hatch(double sigma, double lambda) {
  return {FunctionKind::ashbaugh_hatch, {0.8368, sigma, lambda}, nullptr, 1, 2,
          CutoffForm::shifted};
}
std::vector<std::string> names(std::size_t types) { return std::vector<std::string>(types, "T"); }

TEST(TabulatedPair, MixesTypes) {
  Functions functions;
  for (const double sigma : {0.5, 0.55, 0.55, 0.6}) {
    functions.push_back({ashbaugh_hatch(sigma, 4 * (sigma - 0.45))});
  }
  const auto both = pair_forms::tabulate(functions, names(2));
  const auto& mixing = both->curves.mixing.value();
  const Columns a{mixing.half_scale_nm[0], mixing.half_outer_amplitude[0], 0, 0};
  const Columns b{mixing.half_scale_nm[1], mixing.half_outer_amplitude[1], 0, 1};
  expect_matches<MixedTypes, TypePairs>(*both, a, b, 1);
  expect_matches<MixedTypes, TypePairs>(*both, b, b, 1);
  expect_matches<TypePairs, TypePairs>(*both, a, b, 1);
}

TEST(TabulatedPair, ReadsPairsAndSites) {
  const auto sum = std::vector<PairFunction>{
      ashbaugh_hatch(0.6, 0.4), {FunctionKind::lennard_jones, {3.138, 0.6}, nullptr, 0.8, 1.7}};
  const std::vector<PairFunction> other{
      {FunctionKind::power_10_5, {0.5, 0.62}, nullptr, 1, 2.2, CutoffForm::force_matched, 2}};
  const auto both = pair_forms::tabulate({sum, other, other, {ashbaugh_hatch(0.5, 1)}}, names(2));
  EXPECT_FALSE(both->curves.mixing.has_value());
  const std::vector<double> sites{0.5, 0.8};
  for (const int type_a : {0, 1}) {
    for (const int type_b : {0, 1}) {
      // Domains in the place of sites have no effect.
      expect_matches<TypePairs, TypePairs>(*both, {.kind = type_a + 256 * 3}, {.kind = type_b}, 1);
      expect_matches<TypePairsAndSites, TypePairsAndSites>(
          *both, {.kind = type_a + 256 * 2}, {.kind = type_b + 256}, 0.5 * 0.8, sites);
      expect_matches<TypePairsAndSites, TypePairsAndSites>(*both, {.kind = type_a},
                                                           {.kind = type_b + 256}, 0.5, sites);
    }
  }
}

TEST(TabulatedPair, MultipliesCharges) {
  const PairFunction one{FunctionKind::yukawa,    {1.7, 0.8}, nullptr, 1, 2,
                         CutoffForm::smooth_step, 1.5};
  const auto both = pair_forms::tabulate({{one}}, names(1));
  expect_matches<ChargeProducts, ChargeProducts>(*both, {.charge = -0.75}, {.charge = 2}, -1.5);
}

TEST(TabulatedPair, CoreRepelsAtAnyDistance) {
  const auto both = pair_forms::tabulate({{ashbaugh_hatch(0.5, 1)}}, names(1));
  const Kernel<float, TypePairs> single(*both, {});
  const Kernel<double, TypePairs> exact(*both, {});
  double force = 16'000, energy = 100;
  for (double r = 0.25; r > 1e-6; r *= 0.7) {
    EXPECT_GT(single.force(r, {}, {}), force);
    EXPECT_GT(exact.force(r, {}, {}), force);
    EXPECT_GT(exact.energy(r, {}, {}), energy);
    force = 0.999 * exact.force(r, {}, {});
    energy = exact.energy(r, {}, {});
    const double h = 1e-4 * r;
    const double slope = (exact.energy(r + h, {}, {}) - exact.energy(r - h, {}, {})) / (2 * h);
    EXPECT_NEAR(exact.force(r, {}, {}), -slope, 1e-5 * std::abs(slope)) << r;
  }
  EXPECT_FALSE(std::isfinite(single.force(0, {}, {})));
}

}  // namespace
}  // namespace nfold::kernels
