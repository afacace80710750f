// Number and width of cells along each axis.
// SPDX-License-Identifier: BSD-3-Clause

#include "system/cell_grid.hpp"

#include <stdexcept>
#include <string>

namespace nfold::system {
namespace {

// Factor on the width of cells, larger than any shift of a point by rounding.
constexpr double margin = 1 + 1e-9;
constexpr std::int64_t most_cells_along = std::int64_t{1} << (CellGrid::key_bits - 1);

}  // namespace

CellGrid::CellGrid(const Box& box, double width_nm, const Point& low_nm)
    : box_(box), low_nm_(low_nm) {
  if (!(width_nm > 0) || !std::isfinite(width_nm)) {
    throw std::invalid_argument("cells " + std::to_string(width_nm) + " nm wide (must be > 0)");
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (box.is_periodic(k)) {
      const double fit =
          std::min(box.length_nm[k] / width_nm, static_cast<double>(most_cells_along));
      cells_[k] = std::max<std::int64_t>(1, static_cast<std::int64_t>(fit));
      cells_per_nm_[k] = static_cast<double>(cells_[k]) / box.length_nm[k];
      low_nm_[k] = 0;
    } else {
      cells_per_nm_[k] = 1 / width_nm;
    }
  }
}

CellGrid CellGrid::between(const Box& box, const Point& low_nm, const Point& high_nm,
                           double width_nm) {
  CellGrid grid(box, margin * width_nm, low_nm);
  for (std::size_t k = 0; k < 3; ++k) {
    if (box.is_periodic(k)) continue;
    const double spread_nm = std::max(high_nm[k] - low_nm[k], width_nm);
    grid.cells_per_nm_[k] =
        std::min(grid.cells_per_nm_[k], static_cast<double>(most_cells_along) / spread_nm);
  }
  return grid;
}

}  // namespace nfold::system
