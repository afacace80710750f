// 90 % interval of an estimated time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::estimate {

/// Interval of a time [s].
struct Interval {
  double low = 0, high = 0;
};
/// Returns the interval that holds 90 % of all cases. spread: standard deviation of ln(real /
/// estimated).
[[nodiscard]] Interval ninety_percent_interval(double seconds, double spread);

/// Returns the probability that a standard normal variable is below x.
[[nodiscard]] double normal_distribution(double x);

/// Returns the spread of an interval of ninety_percent_interval() around `seconds`.
[[nodiscard]] double to_spread(double seconds, const Interval& interval);

/// Returns the spread to use for one more case, given the standard deviation `spread` of `cases`
/// cases (at least 2): few cases determine neither mean nor deviation well (Student's t). At least
/// 0.03, because machines vary from day to day.
[[nodiscard]] double widened_spread(double spread, int cases);

}  // namespace nfold::estimate
