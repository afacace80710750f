// Pair functions of force-field files: published values, and slopes.
// SPDX-License-Identifier: BSD-3-Clause
#include "system/pair_forms/pair_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace nfold::pair_forms {
namespace {

PairFunction function(FunctionKind kind, std::array<double, 4> numbers, double cutoff_nm,
                      CutoffForm form = CutoffForm::truncated, double switch_nm = 0) {
  PairFunction f;
  f.kind = kind;
  f.numbers = numbers;
  f.cutoff_nm = cutoff_nm;
  f.cutoff_form = form;
  f.switch_nm = switch_nm;
  return f;
}
void expect_value(const PairFunction& f, double r, double energy, double force) {
  EXPECT_NEAR(f.at(r).energy, energy, 1e-12 * std::abs(energy)) << r;
  EXPECT_NEAR(-f.at(r).slope, force, 1e-12 * std::abs(force)) << r;
}

class Morse final : public RadialFunction {
 public:
  [[nodiscard]] double energy(double r) const override {
    const double x = std::exp(-9 * (r - 0.6));
    return 2 * x * (x - 2);
  }
  [[nodiscard]] std::uint64_t hash() const override { return 1; }
};

TEST(PairFunction, AshbaughHatchMatchesPublishedValues) {  // physics.md H 6
  const auto tyr_arg = function(FunctionKind::ashbaugh_hatch, {0.8368, 0.651, 0.854111810843}, 2,
                                CutoffForm::shifted);
  expect_value(tyr_arg, 0.65, 0.15677909430560, 31.761449968861);
  expect_value(tyr_arg, 0.75, -0.69637190362031, -1.4148051520055);
  expect_value(tyr_arg, 1.0, -0.19765148499571, -1.1069010530874);
  // models.md 10: HPS-RNA A-G, PEG-PEG
  const auto a_g = function(FunctionKind::ashbaugh_hatch, {0.8368, 0.8475, -0.1215}, 2);
  EXPECT_NEAR(a_g.at(1).energy, 0.094855489301, 1e-11);
  const auto peg =
      function(FunctionKind::ashbaugh_hatch, {0.8368, 0.4, 0.2}, 2, CutoffForm::shifted);
  EXPECT_NEAR(peg.at(0.45).energy, -0.16728683936, 1e-10);
}

TEST(PairFunction, WangFrenkelMatchesPublishedValues) {  // physics.md H 8, models.md 10
  const double s = 0.67862385372;
  const auto arg_tyr = function(FunctionKind::wang_frenkel, {2.54311888, s, 2}, 3 * s);
  EXPECT_NEAR(arg_tyr.at(0.70).energy, -1.5769864197199, 1e-10);  // sigma has 11 digits
  EXPECT_NEAR(arg_tyr.at(0.70).slope, -49.950240958027, 5e-9);
  EXPECT_NEAR(arg_tyr.at(0.7498662173383).energy, -2.54311888, 1e-12);
  EXPECT_FALSE(arg_tyr.at(3 * s).acts);
  // Recharged, ARG-ASP
  const auto arg_asp =
      function(FunctionKind::wang_frenkel, {0.02820016, 0.633129, 7}, 3 * 0.633129);
  EXPECT_NEAR(arg_asp.at(0.6).energy, 0.96194031448, 1e-10);
}

TEST(PairFunction, NegativeWangFrenkelOnlyRepels) {  // Mpipi-T at 285 K, V-V
  const double s = 0.626599928628882;
  const auto v_v = function(FunctionKind::wang_frenkel, {-1.0578041, s, 2}, 3 * s);
  EXPECT_NEAR(v_v.at(0.62).energy, 1.3985883, 1e-6);
  const double minimum = v_v.breaks_nm().at(0);
  EXPECT_NEAR(v_v.at(minimum * (1 - 1e-9)).energy, 0, 1e-12);
  EXPECT_EQ(v_v.at(minimum * (1 + 1e-9)).energy, 0);
}

TEST(PairFunction, PowersMatchAnalyticValues) {
  const auto contact = function(FunctionKind::power_12_10, {1, 0.6}, 2);  // physics.md H 1
  expect_value(contact, 0.63, -0.89929243035676, -5.4357938441143);
  expect_value(contact, 0.72, -0.40825022341600, -4.1124106754359);
  const auto core = function(FunctionKind::repulsion_12, {1, 0.4}, 2);  // physics.md H 3
  expect_value(core, 0.5, 0.068719476736, 1.649267441664);
  const auto cation_pi = function(FunctionKind::lennard_jones, {3.138, 0.651}, 2);
  const auto kapcha_rossky = function(FunctionKind::ashbaugh_hatch, {0.8368, 0.651, 0.4325}, 2);
  EXPECT_NEAR(cation_pi.at(0.7).energy, -2.8668000567, 1e-9);
  EXPECT_NEAR(cation_pi.at(0.7).energy + kapcha_rossky.at(0.7).energy, -3.1563960718, 1e-9);
  const auto cocomo = function(FunctionKind::power_10_5, {0.5, 0.6}, 3);
  EXPECT_NEAR(cocomo.at(0.6 * std::pow(2.0, 0.2)).energy, -0.5, 1e-14);
  EXPECT_NEAR(cocomo.at(0.6 * std::pow(2.0, 0.2)).slope, 0, 1e-13);
}

TEST(PairFunction, YukawaAndMoffFollowTheirFormulas) {
  // Recharged at 300 K, 0.15 M: length 0.78402 nm to five digits.
  const auto yukawa = function(FunctionKind::yukawa, {-2.0623, 0.78402}, 3.5);
  EXPECT_NEAR(yukawa.at(0.6).energy, -1.5989879817, 1e-4);
  const auto moff = function(FunctionKind::moff, {1.6264e-3, 2}, 2, CutoffForm::shifted);
  const auto formula = [](double r) {
    return 1.6264e-3 / std::pow(r, 12) - (1 + std::tanh(7 * (0.8 - r)));
  };
  EXPECT_NEAR(moff.at(0.7).energy, formula(0.7) - formula(2), 1e-13);
}

TEST(PairFunction, SlopeIsDerivativeOfEnergy) {
  std::vector<PairFunction> all = {
      function(FunctionKind::ashbaugh_hatch, {0.8, 0.6, 0.7}, 2, CutoffForm::shifted),
      function(FunctionKind::wang_frenkel, {1.2, 0.6, 7}, 1.8),
      function(FunctionKind::wang_frenkel, {-1.2, 0.6, 2.5}, 1.8),
      function(FunctionKind::lennard_jones, {1.2, 0.6}, 2, CutoffForm::smooth_step, 1.5),
      function(FunctionKind::power_12_10, {1.2, 0.6}, 2),
      function(FunctionKind::power_10_5, {1.2, 0.6}, 1.6, CutoffForm::force_matched, 1.4),
      function(FunctionKind::repulsion_12, {1.2, 0.6}, 2),
      function(FunctionKind::moff, {1e-3, -2}, 2, CutoffForm::smooth_step, 1.2),
      function(FunctionKind::yukawa, {-3, 0.8}, 3, CutoffForm::shifted)};
  auto custom = function(FunctionKind::expression, {}, 2, CutoffForm::shifted);
  custom.custom = std::make_shared<Morse>();
  all.push_back(custom);
  for (auto& f : all) {
    f.factor = 1.7;
    for (double r = 0.5; r < 1.99; r += 0.0173) {
      constexpr double h = 1e-5;
      const double difference = (f.at(r + h).energy - f.at(r - h).energy) / (2 * h);
      const double near = 1e-6 * std::max(1.0, std::abs(f.at(r).slope));
      EXPECT_NEAR(f.at(r).slope, difference, near) << static_cast<int>(f.kind) << " " << r;
    }
  }
}

TEST(PairFunction, SwitchedFunctionsEndSmoothly) {
  for (const auto form : {CutoffForm::smooth_step, CutoffForm::force_matched}) {
    const auto f = function(FunctionKind::power_10_5, {1.2, 0.6}, 1.6, form, 1.4);
    const auto below = f.at(1.4 - 1e-9), above = f.at(1.4 + 1e-9);
    EXPECT_NEAR(below.energy, above.energy, 1e-8);
    EXPECT_NEAR(below.slope, above.slope, 1e-7);
    EXPECT_NEAR(f.at(1.6 - 1e-9).energy, 0, 1e-8);
    EXPECT_NEAR(f.at(1.6 - 1e-9).slope, 0, 1e-7);
    EXPECT_EQ(f.breaks_nm(), std::vector<double>{1.4});
  }
}

TEST(RadialFunction, SlopeIsAccurateByDifferences) {
  const Morse morse;
  for (double r = 0.3; r < 2; r += 0.1) {
    const double x = std::exp(-9 * (r - 0.6)), exact = -36 * x * (x - 1);
    EXPECT_NEAR(morse.slope(r), exact, 1e-10 * std::max(std::abs(exact), 36 * x)) << r;
  }
}

TEST(RadialFunction, SlopeStaysWithinRange) {
  class Root final : public RadialFunction {
   public:
    [[nodiscard]] double energy(double r) const override { return std::sqrt(r - 0.5); }
    [[nodiscard]] std::uint64_t hash() const override { return 2; }
  };
  EXPECT_NEAR(Root().slope(0.502), 0.5 / std::sqrt(0.002), 1e-4);
  EXPECT_TRUE(std::isnan(Root().slope(0.4)));
}

TEST(FunctionEntry, NamesAndNumbersMatch) {
  EXPECT_EQ(function_entry(FunctionKind::wang_frenkel).name, "wang-frenkel");
  EXPECT_EQ(function_entry(FunctionKind::yukawa).numbers.size(), 2U);
  EXPECT_EQ(function_entry(FunctionKind::ashbaugh_hatch).numbers[2].name, "lambda");
}

}  // namespace
}  // namespace nfold::pair_forms
