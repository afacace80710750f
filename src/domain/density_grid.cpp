// Sums of cells from the low corner on, interpolated between corners of cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/density_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
      const double x = (layout.along(k, id) - extent_.low_nm[k]) / cell_nm_[k];
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
    cell_nm_[k] = extent_.length_nm(k) / static_cast<double>(cells_[k]);
  }
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

double DensityGrid::share_below(const std::array<double, 3>& corner_nm) const {
  std::array<std::size_t, 3> cell{};
  std::array<double, 3> part{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double x = std::clamp((corner_nm[k] - extent_.low_nm[k]) / cell_nm_[k], 0.0,
                                static_cast<double>(cells_[k]));
    cell[k] = std::min(static_cast<std::size_t>(x), cells_[k] - 1);
    part[k] = x - static_cast<double>(cell[k]);
  }
  const auto along_z = [&](std::size_t x, std::size_t y) {
    const auto first = place(cell[0] + x, cell[1] + y, cell[2]);
    return below_[first] + part[2] * (below_[first + 1] - below_[first]);
  };
  const auto along_y = [&](std::size_t x) {
    const double first = along_z(x, 0);
    return first + part[1] * (along_z(x, 1) - first);
  };
  const double first = along_y(0);
  return first + part[0] * (along_y(1) - first);
}

double DensityGrid::share_below(const Cuboid& cuboid, std::size_t axis, double nm) const {
  const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
  const auto corner = [&](double at_b, double at_c) {
    std::array<double, 3> corner_nm{};
    corner_nm[axis] = nm;
    corner_nm[b] = at_b;
    corner_nm[c] = at_c;
    return share_below(corner_nm);
  };
  const auto& [low, high] = cuboid;
  return corner(high[b], high[c]) - corner(low[b], high[c]) - corner(high[b], low[c]) +
         corner(low[b], low[c]);
}

double DensityGrid::share_within(const Cuboid& cuboid) const {
  return share_below(cuboid, 0, cuboid.high_nm[0]) - share_below(cuboid, 0, cuboid.low_nm[0]);
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
  std::vector<Sum> sums{{cuboid.low_nm[axis], 0}};
  const double before = share_below(cuboid, axis, cuboid.low_nm[axis]);
  const auto add = [&](double nm) { sums.push_back({nm, share_below(cuboid, axis, nm) - before}); };
  for (std::size_t cell = 1; cell < cells_[axis]; ++cell) {
    const double nm = extent_.low_nm[axis] + static_cast<double>(cell) * cell_nm_[axis];
    if (nm > cuboid.low_nm[axis] && nm < cuboid.high_nm[axis]) add(nm);
  }
  add(cuboid.high_nm[axis]);
  return sums;
}

}  // namespace nfold::domain
