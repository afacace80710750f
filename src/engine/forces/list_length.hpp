// Expected length of lists with another skin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace nfold::forces {

/// Returns the ratio of list lengths within two distances [nm], assuming uniform density.
[[nodiscard]] inline double list_length_ratio(double from_nm, double to_nm) {
  const double ratio = to_nm / from_nm;
  return ratio * ratio * ratio;
}

/// Returns the distance [nm] within which lists are `times` as long; inverts list_length_ratio().
[[nodiscard]] inline double distance_for_length(double from_nm, double times) {
  return from_nm * std::cbrt(times);
}

[[nodiscard]] inline int scale_entries(int entries, double factor) {
  return static_cast<int>(std::lround(entries * factor));
}

}  // namespace nfold::forces
