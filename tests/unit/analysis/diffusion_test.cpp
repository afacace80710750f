// Diffusion coefficients of displacements with and without a known law.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/diffusion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace {

using nfold::analysis::Diffusion;

/// Fits lags of 1, 2, 4 ... 1024 ps; errors are relative to the values.
Diffusion fit_diffusion(const std::function<double(double)>& displacement_nm2,
                        const std::function<double(double)>& relative_error) {
  std::vector<double> lag, value, error;
  for (double t = 1; t <= 1024; t *= 2) {
    lag.push_back(t);
    value.push_back(displacement_nm2(t));
    error.push_back(relative_error(t) * value.back());
  }
  return nfold::analysis::diffusion(lag, value, error);
}

double constant(double /*lag_ps*/) { return 0.01; }

TEST(Diffusion, CoefficientIsSixthOfLinearSlope) {
  const auto found = fit_diffusion([](double t) { return 6 * 0.3 * t; }, constant);
  EXPECT_NEAR(found.exponent, 1, 1e-12);
  EXPECT_NEAR(found.coefficient, 0.3, 1e-12);
  // Errors of 1 % at both ends of an octave, divided by the octave.
  EXPECT_NEAR(found.error, 0.3 * 0.01 * std::hypot(1, 2), 1e-12);
}

// Free Langevin particle: 6 D (t - (1 - exp(-g t)) / g), here with g = 0.05/ps.
TEST(Diffusion, IgnoresBallisticStartOfLangevinParticle) {
  const auto displacement = [](double t) {
    return 6 * 0.3 * (t - (1 - std::exp(-0.05 * t)) / 0.05);
  };
  EXPECT_NEAR(fit_diffusion(displacement, constant).coefficient, 0.3, 0.003);
}

TEST(Diffusion, IsUndefinedForBallisticMotion) {
  const auto found = fit_diffusion([](double t) { return 4 * t * t; }, constant);
  EXPECT_NEAR(found.exponent, 2, 1e-12);
  EXPECT_TRUE(std::isnan(found.coefficient));
  EXPECT_TRUE(std::isnan(found.error));
}

TEST(Diffusion, IsUndefinedForSubdiffusion) {
  const auto found = fit_diffusion([](double t) { return 4 * std::sqrt(t); }, constant);
  EXPECT_NEAR(found.exponent, 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(found.coefficient));
}

TEST(Diffusion, UsesLagWithSmallestError) {
  const auto found = fit_diffusion([](double t) { return 6 * 0.3 * t; },
                                   [](double t) { return 1e-3 * std::sqrt(t); });
  EXPECT_NEAR(found.error, 0.3 * 1e-3 * std::hypot(1, 2 * std::sqrt(2)), 1e-12);
}

TEST(Diffusion, ExponentUsesLongestKnownLags) {
  // Ballistic up to 32 ps, then linear. Values beyond the end are not known.
  const auto displacement = [](double t) { return t <= 32 ? t * t : 32 * t; };
  const auto known_before = [](double end_ps, double beyond) {
    return [=](double t) { return t <= end_ps ? 0.01 : beyond; };
  };
  EXPECT_NEAR(fit_diffusion(displacement, known_before(1024, 0)).exponent, 1, 1e-12);
  EXPECT_NEAR(fit_diffusion(displacement, known_before(32, 0.2)).exponent, 2, 1e-12);
  EXPECT_NEAR(fit_diffusion(displacement, known_before(32, NAN)).exponent, 2, 1e-12);
}

TEST(Diffusion, HasNoExponentWithoutTwoKnownLags) {
  const auto linear = [](double t) { return t; };
  EXPECT_TRUE(std::isnan(fit_diffusion(linear, [](double) { return 0.2; }).exponent));
  EXPECT_TRUE(
      std::isnan(fit_diffusion(linear, [](double t) { return t < 2 ? 0.01 : NAN; }).exponent));
  EXPECT_TRUE(std::isnan(fit_diffusion([](double) { return 0.0; }, constant).exponent));
}

}  // namespace
