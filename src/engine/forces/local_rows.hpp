// Local rows, the input of a list build.
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
  kernels::Columns<Coordinate> listed;  ///< (owned rows) receives a copy of x at the list build
  kernels::Exclusions excluded;
  int owned;
};

/// Length of one unit of a coordinate difference [nm].
template <class Precision, class T>
[[nodiscard]] kernels::Scale<T> coordinate_scale(const system::Box& box) {
  constexpr double turn = Precision::coordinates_per_turn;
  return {static_cast<T>(box.span_nm(0) / turn), static_cast<T>(box.span_nm(1) / turn),
          static_cast<T>(box.span_nm(2) / turn)};
}

}  // namespace nfold::forces
