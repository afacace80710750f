// What the making of neighbour lists is told of the local rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/exclusions.hpp"
#include "system/box.hpp"

namespace nfold::forces {

/// Coordinates and ids of the local rows, owned first.
template <class Precision>
struct LocalRows {
  using Coordinate = typename Precision::Coordinate;
  kernels::Columns<const Coordinate> x;
  kernels::Columns<Coordinate> listed;  ///< (owned rows) receives x as it was listed
  kernels::Exclusions excluded;
  int owned;
};

/// Length of one unit of a difference of coordinates.
template <class Precision, class T>
[[nodiscard]] kernels::Scale<T> scale_of(const system::Box& box) {
  constexpr double turn = Precision::coordinates_per_turn;
  return {static_cast<T>(box.span_nm(0) / turn), static_cast<T>(box.span_nm(1) / turn),
          static_cast<T>(box.span_nm(2) / turn)};
}

}  // namespace nfold::forces
