// Corners of the bounding box of points.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace nfold::system {

template <class Number>
struct Corners {
  std::array<Number, 3> low{}, high{};
};

/// Returns the corners; both are 0 without points.
template <class Number>
[[nodiscard]] Corners<Number> find_corners(std::span<const std::array<Number, 3>> points) {
  Corners<Number> corners;
  if (!points.empty()) corners.low = corners.high = points.front();
  for (const auto& point : points) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      corners.low[axis] = std::min(corners.low[axis], point[axis]);
      corners.high[axis] = std::max(corners.high[axis], point[axis]);
    }
  }
  return corners;
}

}  // namespace nfold::system
