// How many entries lists are expected to have with another skin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace nfold::forces {

/// Of lists within one distance over those within another, where residues are everywhere as dense.
[[nodiscard]] inline double times_as_long(double was_nm, double is_nm) {
  const double ratio = is_nm / was_nm;
  return ratio * ratio * ratio;
}

/// The distance within which lists are so many times as long: times_as_long() turned round.
[[nodiscard]] inline double distance_of_length(double was_nm, double times) {
  return was_nm * std::cbrt(times);
}

[[nodiscard]] inline int entries_scaled(int entries, double factor) {
  return static_cast<int>(std::lround(entries * factor));
}

}  // namespace nfold::forces
