// Chi-square against printed tables and closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/chi_square.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace nfold::analysis {
namespace {

TEST(ChiSquare, MatchesTabulatedQuantiles) {
  EXPECT_NEAR(chi_square_quantile(0.95, 1), 3.841458820694, 1e-9);
  EXPECT_NEAR(chi_square_quantile(0.025, 10), 3.246972780237, 1e-9);
  EXPECT_NEAR(chi_square_quantile(0.975, 10), 20.483177350807, 1e-9);
  EXPECT_NEAR(chi_square_quantile(0.975, 100), 129.561197188, 1e-6);
  // Two degrees of freedom give an exponential distribution.
  EXPECT_NEAR(chi_square_quantile(0.025, 2), -2 * std::log(0.975), 1e-14);
  EXPECT_NEAR(chi_square_quantile(0.975, 2), -2 * std::log(0.025), 1e-12);
}

TEST(ChiSquare, IntegerShapeIsPoissonTail) {
  for (const int shape : {1, 2, 7, 40, 300}) {
    for (const double x : {0.1, 3.0, 38.0, 41.5, 299.0, 330.0}) {
      double term = std::exp(-x), below = 0;
      for (int k = 0; k < shape; ++k) {
        below += term;
        term *= x / (k + 1);
      }
      EXPECT_NEAR(regularised_gamma(shape, x), 1 - below, 2e-13) << shape << " " << x;
    }
  }
  EXPECT_EQ(regularised_gamma(3, 0), 0);
}

TEST(ChiSquare, ApproachesNormalForManyDegrees) {
  constexpr double degrees = 4e6;
  const double wide = 1.959963984540 * std::sqrt(2 * degrees);
  // The next term of the Cornish-Fisher expansion is 2/3 (z^2 - 1).
  EXPECT_NEAR(chi_square_quantile(0.975, degrees), degrees + wide + 2.0 / 3 * 2.8415, 0.05);
  EXPECT_NEAR(chi_square_quantile(0.025, degrees), degrees - wide + 2.0 / 3 * 2.8415, 0.05);
}

TEST(ChiSquare, RefusesArgumentsOutOfRange) {
  EXPECT_THROW((void)chi_square_quantile(0, 2), std::invalid_argument);
  EXPECT_THROW((void)chi_square_quantile(1, 2), std::invalid_argument);
  EXPECT_THROW((void)chi_square_quantile(0.5, 0), std::invalid_argument);
  EXPECT_THROW((void)regularised_gamma(-1, 2), std::invalid_argument);
  EXPECT_THROW((void)regularised_gamma(1, std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::analysis
