// Sums of cells from the low corner on, interpolated between corners of cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/density_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "comm/communicator.hpp"
#include "domain/space_layout.hpp"

namespace nfold::domain {
namespace {

struct Interval {
  double low = 0, high = 0;
};

/// Returns the parts of an interval and its periodic images that are within another.
std::array<Interval, 2> divide(const Interval& interval, double box_nm, const Interval& inner) {
  std::array<Interval, 2> parts{interval};
  if (box_nm > 0) {
    const double length = std::min(interval.high - interval.low, box_nm);
    const double low = interval.low - box_nm * std::floor(interval.low / box_nm);
    parts = {{{low, std::min(low + length, box_nm)}, {0, low + length - box_nm}}};
  }
  for (auto& part : parts) {
    part.low = std::max(part.low, inner.low);
    part.high = std::min(part.high, inner.high);
  }
  return parts;
}

}  // namespace

DensityGrid::DensityGrid(const system::Box& box, const std::array<double, 3>& size_nm, Shape shape)
    : box_(box), extent_{{}, size_nm} {
  constexpr double cells_of_ball = 12 * 12 * 12;
  constexpr std::size_t points = 4;  // along each axis of a cell
  choose_cells(shape == Shape::ball ? cells_of_ball : 1);
  const auto squared = [&](std::size_t axis, std::size_t cell, std::size_t point) {
    const double x = (static_cast<double>(cell * points + point) + 0.5) /
                     static_cast<double>(cells_[axis] * points);
    return (2 * x - 1) * (2 * x - 1);
  };
  for (std::size_t x = 0; x < cells_[0] * points; ++x) {
    for (std::size_t y = 0; y < cells_[1] * points; ++y) {
      for (std::size_t z = 0; z < cells_[2] * points; ++z) {
        const bool is_inside =
            shape == Shape::cuboid || squared(0, 0, x) + squared(1, 0, y) + squared(2, 0, z) < 1;
        if (is_inside) below_[place(x / points + 1, y / points + 1, z / points + 1)] += 1;
      }
    }
  }
  sum_up();
}

DensityGrid::DensityGrid(const system::Box& box, std::span<const system::FixedPosition> positions)
    : box_(box) {
  constexpr double most_cells = 16 * 16 * 16;
  const comm::Communicator alone;
  const SpaceLayout layout(alone, box, positions);
  extent_.low_nm.fill(positions.empty() ? 0 : std::numeric_limits<double>::max());
  extent_.high_nm.fill(positions.empty() ? 0 : std::numeric_limits<double>::lowest());
  for (std::size_t id = 0; id < positions.size(); ++id) {
    for (std::size_t k = 0; k < 3; ++k) {
      extent_.low_nm[k] = std::min(extent_.low_nm[k], layout.along(k, id));
      extent_.high_nm[k] = std::max(extent_.high_nm[k], layout.along(k, id));
    }
  }
  choose_cells(most_cells);
  for (std::size_t id = 0; id < positions.size(); ++id) {
    std::array<std::size_t, 3> cell{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = (layout.along(k, id) - extent_.low_nm[k]) * cells_per_nm_[k];
      cell[k] = std::min(static_cast<std::size_t>(x), cells_[k] - 1);
    }
    below_[place(cell[0] + 1, cell[1] + 1, cell[2] + 1)] += 1;
  }
  sum_up();
}

void DensityGrid::choose_cells(double most_cells) {
  double volume = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    extent_.high_nm[k] = std::max(extent_.high_nm[k], extent_.low_nm[k] + 1e-3);
    volume *= extent_.length_nm(k);
  }
  const double edge_nm = std::cbrt(volume / most_cells);
  for (std::size_t k = 0; k < 3; ++k) {
    const double cells = std::clamp(std::round(extent_.length_nm(k) / edge_nm), 1.0, most_cells);
    cells_[k] = most_cells > 1 ? static_cast<std::size_t>(cells) : 1;
    cells_per_nm_[k] = static_cast<double>(cells_[k]) / extent_.length_nm(k);
  }
  strides_ = {(cells_[1] + 1) * (cells_[2] + 1), cells_[2] + 1, 1};
  below_.assign(place(cells_[0], cells_[1], cells_[2]) + 1, 0);
}

void DensityGrid::sum_up() {
  for (std::size_t x = 1; x <= cells_[0]; ++x) {
    for (std::size_t y = 1; y <= cells_[1]; ++y) {
      double row = 0;
      for (std::size_t z = 1; z <= cells_[2]; ++z) {
        row += below_[place(x, y, z)];
        below_[place(x, y, z)] = row + below_[place(x - 1, y, z)] + below_[place(x, y - 1, z)] -
                                 below_[place(x - 1, y - 1, z)];
      }
    }
  }
  const double all = std::max(below_.back(), 1.0);
  for (double& share : below_) share /= all;
}

DensityGrid::GridPoint DensityGrid::to_grid(std::size_t axis, double nm) const {
  const double x = std::clamp((nm - extent_.low_nm[axis]) * cells_per_nm_[axis], 0.0,
                              static_cast<double>(cells_[axis]));
  const auto cell = std::min(static_cast<std::size_t>(x), cells_[axis] - 1);
  return {cell * strides_[axis], x - static_cast<double>(cell)};
}

DensityGrid::Column::Column(const DensityGrid& grid, const Cuboid& cuboid, std::size_t axis)
    : grid_(grid), axis_(axis) {
  const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
  auto corner = corners_.begin();
  for (const auto& [at_b, sign_b] : {std::pair(cuboid.high_nm[b], 1), {cuboid.low_nm[b], -1}}) {
    const auto in_b = grid.to_grid(b, at_b);
    for (const auto& [at_c, sign_c] : {std::pair(cuboid.high_nm[c], 1), {cuboid.low_nm[c], -1}}) {
      const auto in_c = grid.to_grid(c, at_c);
      const auto first = in_b.offset + in_c.offset;
      const double sign = sign_b * sign_c, of_b = in_b.part, of_c = in_c.part;
      *corner++ = {first, sign * (1 - of_b) * (1 - of_c)};
      *corner++ = {first + grid.strides_[b], sign * of_b * (1 - of_c)};
      *corner++ = {first + grid.strides_[c], sign * (1 - of_b) * of_c};
      *corner++ = {first + grid.strides_[b] + grid.strides_[c], sign * of_b * of_c};
    }
  }
}

double DensityGrid::Column::share_below_cell(std::size_t offset) const {
  double sum = 0;
  for (const auto& [first, weight] : corners_) sum += weight * grid_.below_[first + offset];
  return sum;
}

double DensityGrid::Column::share_below(double nm) const {
  const auto at = grid_.to_grid(axis_, nm);
  const double first = share_below_cell(at.offset);
  return first + at.part * (share_below_cell(at.offset + grid_.strides_[axis_]) - first);
}

double DensityGrid::share_within(const Cuboid& cuboid) const {
  const Column column(*this, cuboid, 0);
  return column.share_below(cuboid.high_nm[0]) - column.share_below(cuboid.low_nm[0]);
}

double DensityGrid::share(const Cuboid& cuboid, const Cuboid& inner) const {
  std::array<std::array<Interval, 2>, 3> parts;
  for (std::size_t k = 0; k < 3; ++k) {
    parts[k] = divide({cuboid.low_nm[k], cuboid.high_nm[k]}, box_.length_nm[k],
                      {inner.low_nm[k], inner.high_nm[k]});
  }
  double sum = 0;
  for (const auto& x : parts[0]) {
    for (const auto& y : parts[1]) {
      for (const auto& z : parts[2]) {
        if (x.high <= x.low || y.high <= y.low || z.high <= z.low) continue;
        sum += share_within({{x.low, y.low, z.low}, {x.high, y.high, z.high}});
      }
    }
  }
  return std::max(0.0, sum);
}

std::vector<DensityGrid::Sum> DensityGrid::profile(const Cuboid& cuboid, std::size_t axis) const {
  const Column column(*this, cuboid, axis);
  const double before = column.share_below(cuboid.low_nm[axis]);
  std::vector<Sum> sums{{cuboid.low_nm[axis], 0}};
  sums.reserve(cells_[axis] + 1);
  for (std::size_t cell = 1; cell < cells_[axis]; ++cell) {
    const double nm = extent_.low_nm[axis] + static_cast<double>(cell) / cells_per_nm_[axis];
    if (nm <= cuboid.low_nm[axis] || nm >= cuboid.high_nm[axis]) continue;
    sums.push_back({nm, column.share_below_cell(cell * strides_[axis]) - before});
  }
  sums.push_back({cuboid.high_nm[axis], column.share_below(cuboid.high_nm[axis]) - before});
  return sums;
}

}  // namespace nfold::domain
