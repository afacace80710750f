// Tables of pair functions against the functions, and what they refuse.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "system/pair_forms/tabulated_pairs.hpp"

namespace nfold::pair_forms {
namespace {

PairFunction make(FunctionKind kind, std::array<double, 4> numbers, double cutoff_nm,
                  CutoffForm form = CutoffForm::truncated, double switch_nm = 0) {
  PairFunction f;
  f.kind = kind;
  f.numbers = numbers;
  f.cutoff_nm = cutoff_nm;
  f.cutoff_form = form;
  f.switch_nm = switch_nm;
  return f;
}

/// A function of a test.
class Custom final : public RadialFunction {
 public:
  explicit Custom(std::function<double(double)> energy) : energy_(std::move(energy)) {}
  [[nodiscard]] double energy(double r) const override { return energy_(r); }
  [[nodiscard]] std::uint64_t hash() const override { return 1; }

 private:
  std::function<double(double)> energy_;
};
PairFunction custom(std::function<double(double)> energy, double cutoff_nm,
                    CutoffForm form = CutoffForm::truncated) {
  auto f = make(FunctionKind::expression, {}, cutoff_nm, form);
  f.custom = std::make_shared<Custom>(std::move(energy));
  return f;
}

using Functions = std::vector<std::vector<PairFunction>>;
std::shared_ptr<const TabulatedFunctions> tabulated(Functions functions) {
  const auto types =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(functions.size()))));
  std::vector<std::string> names;
  for (std::size_t t = 0; t < types; ++t) names.push_back("T" + std::to_string(t));
  return tabulate(std::move(functions), names);
}

/// Evaluates the tables as the kernel does, in double.
PairValue in_table(const PairCurves& curves, std::size_t pair, double r) {
  const auto& p = curves.pairs[pair];
  if (!(r * r < p.cutoff_squared_nm2)) return {};
  const auto& half = r * r < p.split_squared_nm2 ? p.inner : p.outer;
  const double q = std::min(half.scale_squared_nm2 / (r * r), curves.largest_q);
  const auto place = [&](int bins_log2) {
    const int octave = std::ilogb(q);
    const auto part = static_cast<int>(std::ldexp(std::ldexp(q, -octave) - 1, bins_log2));
    const auto bins = std::size_t{1} << (curves.octaves_log2 + bins_log2);
    const int mask = (1 << curves.octaves_log2) - 1;
    return half.row * bins +
           static_cast<std::size_t>((((octave + 1023) & mask) << bins_log2) + part);
  };
  const auto fraction = [&](int bins_log2) {
    const double bins = std::ldexp(std::ldexp(q, -std::ilogb(q)) - 1, bins_log2);
    return bins - std::floor(bins);
  };
  const double t = fraction(curves.energy_bins_log2) - 0.5,
               u = 1 + fraction(curves.force_bins_log2);
  const double* const e = &curves.energy[8 * place(curves.energy_bins_log2)];
  const double* const g = &curves.force[4 * place(curves.force_bins_log2)];
  double energy = 0;
  for (int k = 7; k >= 0; --k) energy = energy * t + e[k];
  const double force = half.amplitude * q * q * q / r * (g[0] + u * (g[1] + u * (g[2] + u * g[3])));
  return {true, half.amplitude * energy + half.offset_kj_mol, -force};
}

/// Compares the tables with the functions from where a force is 30,000 kJ/mol/nm on.
void expect_tables_match(const TabulatedFunctions& both, double force_error = 2e-6,
                         double energy_error = 1e-7) {
  const auto types = static_cast<std::size_t>(both.types());
  for (std::size_t pair = 0; pair < both.functions.size(); ++pair) {
    const int a = static_cast<int>(pair / types), b = static_cast<int>(pair % types);
    for (double r = 3.6; r > 0.03; r *= 0.9973) {
      const auto exact = both.value(a, b, r);
      if (-exact.slope > 30'000) break;
      const auto found = in_table(both.curves, pair, r);
      ASSERT_EQ(found.acts, exact.acts) << pair << " " << r;
      ASSERT_NEAR(found.energy, exact.energy, energy_error * std::max(1.0, std::abs(exact.energy)))
          << pair << " " << r;
      ASSERT_NEAR(found.slope, exact.slope, force_error * std::max(5.0, std::abs(exact.slope)))
          << pair << " " << r;
      ASSERT_LE(std::abs(exact.slope), both.curves.slope_bound(r)) << pair << " " << r;
    }
  }
}

Functions ashbaugh_hatch_pairs(int types, CutoffForm form) {
  Functions functions;
  for (int a = 0; a < types; ++a) {
    for (int b = 0; b < types; ++b) {
      const double sigma = 0.5 + 0.02 * (a + b), lambda = 0.15 * (a + b) - 0.05;
      functions.push_back({make(FunctionKind::ashbaugh_hatch, {0.8368, sigma, lambda}, 2, form)});
    }
  }
  return functions;
}

TEST(PairCurves, AshbaughHatchPairsShareOneCubic) {
  for (const auto form : {CutoffForm::truncated, CutoffForm::shifted}) {
    const auto both = tabulated(ashbaugh_hatch_pairs(4, form));
    EXPECT_EQ(both->curves.force_bins_log2, 0);
    EXPECT_EQ(both->curves.rows(), 4U);  // none, inner, outer, and both for mixing
    ASSERT_TRUE(both->curves.mixing.has_value());
    EXPECT_NEAR(both->curves.mixing->half_scale_nm[2], 0.58 * std::pow(2.0, 1.0 / 6) / 2, 1e-12);
    EXPECT_EQ(both->curves.mixing->cutoff_squared_nm2, 4);
    expect_tables_match(*both);
  }
}

TEST(PairCurves, ExpressionsShareCurvesOfAnyScaleAndAmplitude) {
  Functions functions;
  for (const double sigma : {0.5, 0.55, 0.55, 0.6}) {
    functions.push_back({custom(
        [sigma](double r) {
          const double q = std::pow(sigma / r, 6);
          return 4 * sigma * q * (q - 1);
        },
        2, CutoffForm::shifted)});
  }
  const auto both = tabulated(functions);
  EXPECT_EQ(both->curves.rows(), 3U);
  EXPECT_EQ(both->curves.force_bins_log2, 0);
  expect_tables_match(*both);
}

TEST(PairCurves, KinksOfExpressionsAtTheMinimumAreExact) {
  const auto both = tabulated({{custom(
      [](double r) {
        const double q = std::pow(0.6 / r, 6), lj = 3.2 * q * (q - 1);
        return r < 0.6 * std::pow(2.0, 1.0 / 6) ? lj + 0.8 * (1 - 0.3) : 0.3 * lj;
      },
      2)}});
  EXPECT_NEAR(std::sqrt(both->curves.pairs[0].split_squared_nm2), 0.6 * std::pow(2.0, 1.0 / 6),
              1e-9);
  EXPECT_LT(both->curves.force_error, 1e-6);
}

TEST(PairCurves, FindsKinksOfExpressions) {
  const auto core = [](double r) { return std::pow(0.4 / r, 12); };
  const auto both = tabulated({{custom(
      [&](double r) {
        const double soft = std::max(0.0, 1.137 - r), end = std::min(r, 0.7213);
        return core(r) + 40 * soft * soft + 3 * (end - 0.7213) * (end - 0.7213) * r;
      },
      2)}});
  const auto& pair = both->curves.pairs[0];
  EXPECT_NEAR(std::sqrt(pair.inner.scale_squared_nm2), 0.7213, 1e-9);
  EXPECT_NEAR(std::sqrt(pair.outer.scale_squared_nm2), 1.137, 1e-9);
  EXPECT_LT(both->curves.force_error, 1e-6);
  // A steep function without a kink.
  const auto steep = tabulated({{custom([](double r) { return std::pow(0.6 / r, 30); }, 2)}});
  EXPECT_EQ(std::sqrt(steep->curves.pairs[0].split_squared_nm2), 1);
}

TEST(PairCurves, ExpressionsMayEndBelowOtherFunctions) {
  const auto ah = make(FunctionKind::ashbaugh_hatch, {0.8368, 0.65, 0.7}, 2, CutoffForm::shifted);
  const auto wave = [](double r) { return 3 * std::exp(-r / 0.4) * std::cos(2 * r); };
  for (const auto form : {CutoffForm::truncated, CutoffForm::shifted}) {
    for (const double cutoff : {0.6, 1.0, 1.3, 1.999, 2.7}) {
      const auto both = tabulated({{ah, custom(wave, cutoff, form)}});
      expect_tables_match(*both);
      EXPECT_LT(both->curves.force_error, 1e-6) << cutoff;
    }
  }
  // A break may leave any part of a bin.
  for (int k = 0; k < 60; ++k) {
    const double sigma = 0.45 + 0.00471 * k;
    const auto other = make(FunctionKind::ashbaugh_hatch, {0.8368, sigma, 0.7}, 2);
    EXPECT_LT(tabulated({{other, custom(wave, 1.2)}})->curves.force_error, 1e-6) << sigma;
  }
}

TEST(PairCurves, SumsOfEveryFunctionMatch) {
  const auto lj = make(FunctionKind::lennard_jones, {3.138, 0.6}, 1.7);
  const auto ah = make(FunctionKind::ashbaugh_hatch, {0.8368, 0.65, 0.7}, 2, CutoffForm::shifted);
  const auto wf = make(FunctionKind::wang_frenkel, {1.1, 0.55, 12}, 1.65);
  const auto negative = make(FunctionKind::wang_frenkel, {-1.1, 0.55, 2}, 1.65);
  const auto yukawa = make(FunctionKind::yukawa, {-1.8, 0.784}, 3.5);
  const auto moff = make(FunctionKind::moff, {1.6e-3, -1}, 2, CutoffForm::shifted);
  const auto ten_five =
      make(FunctionKind::power_10_5, {0.4, 0.6}, 3.1, CutoffForm::force_matched, 2.9);
  const auto smooth = make(FunctionKind::power_12_10, {1, 0.6}, 1.8, CutoffForm::smooth_step, 1.2);
  const Functions sums{{lj, ah},           {wf},       {negative, yukawa}, {wf}, {moff}, {ten_five},
                       {negative, yukawa}, {ten_five}, {smooth, lj}};
  const auto both = tabulated(sums);
  expect_tables_match(*both);
  EXPECT_LE(both->curves.force_error, 1e-6);
  EXPECT_FALSE(both->curves.mixing.has_value());
}

TEST(PairCurves, CutoffsByScaleCanBeMixed) {
  Functions functions;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const double sigma = 0.5 + 0.03 * (a + b);
      functions.push_back({make(FunctionKind::lennard_jones, {1.2, sigma}, 3 * sigma)});
    }
  }
  const auto both = tabulated(functions);
  ASSERT_TRUE(both->curves.mixing.has_value());
  EXPECT_NEAR(both->curves.mixing->cutoff_over_scale_squared, 9 / std::cbrt(2.0), 1e-7);
  expect_tables_match(*both);
}

TEST(PairCurves, SoftAndAbsentPairsMatch) {
  const auto gauss = custom([](double r) { return -2 * std::exp(-r * r / 0.18); }, 1.5);
  const auto both = tabulated({{gauss}, {}, {}, {make(FunctionKind::yukawa, {2, 1}, 3)}});
  EXPECT_FALSE(in_table(both->curves, 1, 0.5).acts);
  expect_tables_match(*both);
}

TEST(PairCurves, CoreContinuesWhatEndsBelowItsRange) {
  // A table that begins at 0.35 nm, 30 kJ/mol above its minimum.
  const auto both = tabulated({{custom(
      [](double r) { return r < 0.35 ? std::nan("") : 40 * std::exp(-(r - 0.35) / 0.1) - 1; },
      1.5)}});
  EXPECT_GT(in_table(both->curves, 0, 0.3).energy, 60);
  EXPECT_LT(in_table(both->curves, 0, 0.3).slope, -400);
}

std::string refusal(const Functions& functions) {
  try {
    (void)tabulated(functions);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(PairCurves, RefusesWhatNoTableCanHold) {
  using testing::AllOf, testing::HasSubstr;
  EXPECT_THAT(refusal({{custom([](double r) { return r < 0.83 ? 1.0 : 0.0; }, 1.5)}}),
              AllOf(HasSubstr("pair T0 T0"), HasSubstr("r = 0.8"), HasSubstr("jumps")));
  EXPECT_THAT(refusal({{custom([](double r) { return std::abs(r - 0.9); }, 1.5)}}),
              AllOf(HasSubstr("T0 T0"), HasSubstr("r = 0.9"), HasSubstr("jumps")));
  EXPECT_THAT(refusal({{custom([](double r) { return std::sqrt(r - 1); }, 1.5)}}),
              AllOf(HasSubstr("T0 T0"), HasSubstr("is not finite"), HasSubstr("r = 0.9")));
  const auto ah = make(FunctionKind::ashbaugh_hatch, {0.8368, 0.65, 0.7}, 2);
  const auto one = custom([](double r) { return std::exp(-r); }, 1.1);
  const auto two = custom([](double r) { return std::exp(-r); }, 1.4);
  EXPECT_THAT(refusal({{ah, one, two}}),
              AllOf(HasSubstr("T0 T0 is not smooth enough for a table near r = "),
                    HasSubstr("a table can have two: give terms the same cutoff, or")));
  EXPECT_THAT(refusal({{custom([](double r) { return 1 / (r - 1.2); }, 1.5)}}),
              testing::ContainsRegex("near r = 1[.](19|2)"));
}

}  // namespace
}  // namespace nfold::pair_forms
