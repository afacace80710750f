// Region of space that an initial state fills.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "model/topology/geometry.hpp"
#include "system/box.hpp"

namespace nfold::start {

/// Box with sides along the axes, or a sphere, by nearest images. The default is all space.
struct Region {
  system::Box box;
  topology::Point centre_nm{0, 0, 0};
  topology::Point size_nm{0, 0, 0};  ///< range in which points are drawn; diameter of a sphere
  std::array<bool, 3> has_walls{false, false, false};
  bool is_sphere = false;

  [[nodiscard]] bool contains(const topology::Point& x_nm) const {
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!has_walls[k]) continue;
      const double d = box.nearest_nm(k, x_nm[k] - centre_nm[k]);
      if (2 * d > size_nm[k] || -2 * d > size_nm[k]) return false;
      squared += d * d;
    }
    return !is_sphere || 4 * squared <= size_nm[0] * size_nm[0];
  }
  /// Returns a point; u: three numbers from 0 to 1. For a sphere it may lie outside: see
  /// contains().
  [[nodiscard]] topology::Point point(const topology::Point& u) const {
    topology::Point x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = centre_nm[k] + (u[k] - 0.5) * size_nm[k];
    return x;
  }
  [[nodiscard]] double volume_nm3() const {
    constexpr double pi_over_6 = 0.52359877559829887;
    return (is_sphere ? pi_over_6 : 1.0) * size_nm[0] * size_nm[1] * size_nm[2];
  }
};

}  // namespace nfold::start
