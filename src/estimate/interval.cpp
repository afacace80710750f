// Quantiles of the normal distribution and of Student's t.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace nfold::estimate {
namespace {

constexpr double normal_quantile = 1.645;  // two-sided 90 % quantile [standard deviations]
constexpr double least_next_spread = 0.03;
// 95 % quantiles of Student's t for 1, 2, ... degrees of freedom.
constexpr std::array student_quantiles{6.314, 2.920, 2.353, 2.132, 2.015,
                                       1.943, 1.895, 1.860, 1.833};

}  // namespace

Interval ninety_percent_interval(double seconds, double spread) {
  const double factor = std::exp(normal_quantile * spread);
  return {seconds / factor, seconds * factor};
}

double widened_spread(double spread, int cases) {
  const auto degrees = static_cast<std::size_t>(std::max(2, cases)) - 1;
  const double quantile = student_quantiles.at(std::min(degrees, student_quantiles.size()) - 1);
  return std::max(least_next_spread,
                  quantile / normal_quantile * std::sqrt(1 + 1.0 / cases) * spread);
}

}  // namespace nfold::estimate
