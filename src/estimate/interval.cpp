// Quantiles of the normal distribution and of Student's t.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/interval.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>

namespace nfold::estimate {
namespace {

constexpr double least_next_spread = 0.03;
constexpr double upper_tail = 0.95;  // probability below the upper end of a 90 % interval

/// Returns half the width of a 90 % interval [standard deviations].
double normal_quantile() { return quantile(boost::math::normal(), upper_tail); }

}  // namespace

Interval ninety_percent_interval(double seconds, double spread) {
  const double factor = std::exp(normal_quantile() * spread);
  return {seconds / factor, seconds * factor};
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double to_spread(double seconds, const Interval& interval) {
  return seconds > 0 ? std::log(interval.high / seconds) / normal_quantile() : 0;
}

double widened_spread(double spread, int cases) {
  const double student = quantile(boost::math::students_t(std::max(2, cases) - 1), upper_tail);
  return std::max(least_next_spread,
                  student / normal_quantile() * std::sqrt(1 + 1.0 / cases) * spread);
}

}  // namespace nfold::estimate
