// Quantiles of the normal distribution and of Student's t.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace nfold::plan {
namespace {

constexpr double of_normal = 1.645;  // two-sided 90 % quantile [standard deviations]
constexpr double least_spread = 0.03;
// 95 % quantiles of Student's t for 1, 2, ... degrees of freedom.
constexpr std::array of_student{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833};

}  // namespace

Interval ninety_percent_of(double seconds, double spread) {
  const double factor = std::exp(of_normal * spread);
  return {seconds / factor, seconds * factor};
}

double spread_of_next(double spread, int cases) {
  const auto degrees = static_cast<std::size_t>(std::max(2, cases)) - 1;
  const double quantile = of_student.at(std::min(degrees, of_student.size()) - 1);
  return std::max(least_spread, quantile / of_normal * std::sqrt(1 + 1.0 / cases) * spread);
}

}  // namespace nfold::plan
