// Grid of rank bit masks, dilated to the surrounding cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/near_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace nfold::engine {
namespace {

constexpr int reach = 3;
constexpr double most_cells = 0x1p22;

/// Dense cells; an open axis spans the extent of the residues.
struct Cells {
  std::array<int, 3> count{};
  std::array<double, 3> edge_nm{}, low_nm{};
  std::array<bool, 3> wraps{};

  Cells(const system::Box& box, const std::vector<std::array<double, 3>>& x_nm, double range_nm) {
    std::array<double, 3> extent{};
    for (std::size_t k = 0; k < 3; ++k) {
      wraps[k] = box.is_periodic(k);
      extent[k] = box.length_nm[k];
      if (wraps[k] || x_nm.empty()) continue;
      const auto [least, most] = std::minmax_element(
          x_nm.begin(), x_nm.end(), [k](const auto& a, const auto& b) { return a[k] < b[k]; });
      low_nm[k] = (*least)[k];
      extent[k] = (*most)[k] - low_nm[k];
    }
    for (double edge = range_nm / reach;; edge *= 1.26) {
      double cells = 1;
      for (std::size_t k = 0; k < 3; ++k) {
        count[k] = static_cast<int>(std::max(
            1.0, wraps[k] ? std::floor(extent[k] / edge) : std::floor(extent[k] / edge) + 1));
        edge_nm[k] = wraps[k] ? extent[k] / count[k] : edge;
        cells *= count[k];
      }
      if (cells <= most_cells) return;
    }
  }
  [[nodiscard]] std::size_t cells() const {
    return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) *
           static_cast<std::size_t>(count[2]);
  }
  [[nodiscard]] std::size_t place(int x, int y, int z) const {
    return (static_cast<std::size_t>(x) * static_cast<std::size_t>(count[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(count[2]) +
           static_cast<std::size_t>(z);
  }
  [[nodiscard]] std::size_t of(const std::array<double, 3>& x_nm) const {
    std::array<int, 3> cell{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double length = edge_nm[k] * count[k];
      const double x =
          wraps[k] ? x_nm[k] - length * std::floor(x_nm[k] / length) : x_nm[k] - low_nm[k];
      cell[k] = std::clamp(static_cast<int>(x / edge_nm[k]), 0, count[k] - 1);
    }
    return place(cell[0], cell[1], cell[2]);
  }
  /// Returns the cell `by` cells further along an axis; -1 beyond the end of an open one.
  [[nodiscard]] int moved(std::size_t axis, int cell, int by) const {
    const int n = count[axis];
    const int to = cell + by;
    if (to >= 0 && to < n) return to;
    return wraps[axis] ? ((to % n) + n) % n : -1;
  }
};

/// Lower bound of the squared distance between cells so far apart along an axis [edges^2].
int gap(int cells) {
  const int between = std::max(0, std::abs(cells) - 1);
  return between * between;
}

/// Combines each cell's bits with those of cells whose gap is below the reach.
std::vector<std::uint64_t> spread(const Cells& cells, const std::vector<std::uint64_t>& bits) {
  // along_z[k]: bits of cells up to k away along z.
  std::array<std::vector<std::uint64_t>, reach + 1> along_z;
  along_z[0] = bits;
  for (int k = 1; k <= reach; ++k) {
    auto& row = along_z[static_cast<std::size_t>(k)];
    row = along_z[static_cast<std::size_t>(k) - 1];
    for (std::size_t c = 0; c < row.size(); ++c) {
      const int z = static_cast<int>(c % static_cast<std::size_t>(cells.count[2]));
      const std::size_t first = c - static_cast<std::size_t>(z);
      for (const int by : {-k, k}) {
        const int other = cells.moved(2, z, by);
        if (other >= 0) row[c] |= bits[first + static_cast<std::size_t>(other)];
      }
    }
  }
  std::vector<std::uint64_t> near(bits.size(), 0);
  const auto length = static_cast<std::size_t>(cells.count[2]);
  for (int x = 0; x < cells.count[0]; ++x) {
    for (int y = 0; y < cells.count[1]; ++y) {
      std::uint64_t* const to = near.data() + cells.place(x, y, 0);
      for (int dx = -reach; dx <= reach; ++dx) {
        const int from_x = cells.moved(0, x, dx);
        for (int dy = -reach; dy <= reach && from_x >= 0; ++dy) {
          const int from_y = cells.moved(1, y, dy);
          const int max_gap_squared = reach * reach - gap(dx) - gap(dy);
          if (from_y < 0 || max_gap_squared <= 0) continue;
          int k = reach;
          while (gap(k) >= max_gap_squared) --k;
          const std::uint64_t* const from =
              along_z[static_cast<std::size_t>(k)].data() + cells.place(from_x, from_y, 0);
          for (std::size_t z = 0; z < length; ++z) to[z] |= from[z];
        }
      }
    }
  }
  return near;
}

}  // namespace

std::vector<std::uint64_t> near_ranks(const system::Box& box,
                                      const std::vector<std::array<double, 3>>& x_nm,
                                      const domain::Ownership& owner,
                                      const std::vector<char>& of_some, double range_nm) {
  const Cells cells(box, x_nm, range_nm);
  std::vector<std::size_t> cell_of(x_nm.size());
  std::vector<std::uint64_t> bits(cells.cells(), 0);
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    cell_of[i] = cells.of(x_nm[i]);
    if (of_some.empty() || of_some[i] != 0) {
      bits[cell_of[i]] |= std::uint64_t{1} << static_cast<unsigned>(owner[i]);
    }
  }
  const auto near = spread(cells, bits);
  std::vector<std::uint64_t> found(x_nm.size(), 0);
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    if (of_some.empty() || of_some[i] != 0) found[i] = near[cell_of[i]];
  }
  return found;
}

}  // namespace nfold::engine
