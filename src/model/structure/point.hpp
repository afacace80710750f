// Vector arithmetic for building models; not used in steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

namespace nfold::structure {

using Point = std::array<double, 3>;

inline constexpr double angstrom_nm = 0.1;

[[nodiscard]] inline Point difference(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
[[nodiscard]] inline double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
[[nodiscard]] inline Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
[[nodiscard]] inline double norm(const Point& a) { return std::sqrt(dot(a, a)); }
[[nodiscard]] inline double distance(const Point& a, const Point& b) {
  return norm(difference(a, b));
}

}  // namespace nfold::structure
