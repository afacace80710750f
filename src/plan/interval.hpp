// The interval that holds a predicted time in nine of ten cases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::plan {

/// [s]
struct Interval {
  double low = 0, high = 0;
};
/// spread: standard deviation of ln(real / predicted).
[[nodiscard]] Interval ninety_percent_of(double seconds, double spread);

/// The spread that ninety_percent_of() is to have for one more case, where `spread` is the standard
/// deviation of so many, 2 or more: a few tell neither their mean nor their scatter well (Student's
/// t). No less than a few hundredths, for machines are not the same from day to day.
[[nodiscard]] double spread_of_next(double spread, int cases);

}  // namespace nfold::plan
