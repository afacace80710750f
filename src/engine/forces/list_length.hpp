// Expected length of lists with another skin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace nfold::forces {

/// Ratio of list lengths within two distances, assuming uniform density.
[[nodiscard]] inline double list_length_ratio(double was_nm, double is_nm) {
  const double ratio = is_nm / was_nm;
  return ratio * ratio * ratio;
}

/// Distance within which lists are `times` as long; inverse of list_length_ratio().
[[nodiscard]] inline double distance_for_length(double was_nm, double times) {
  return was_nm * std::cbrt(times);
}

[[nodiscard]] inline int entries_scaled(int entries, double factor) {
  return static_cast<int>(std::lround(entries * factor));
}

}  // namespace nfold::forces
