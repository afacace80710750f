// Halo grids of limited size, occupied intervals along each axis and their overlap.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/halo/halo_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace nfold::halo {
namespace {

using kernels::HaloGrid;
using kernels::HaloLayers;

static_assert(HaloGrid::turn_bits == system::Box::turn_bits);

constexpr double most_along_an_axis = 0x1p20;

int row_words_of(int cells) { return (cells + HaloGrid::word_bits - 1) / HaloGrid::word_bits; }

/// Assigns words to the axis that wastes the fewest bits; of equal ones the last.
void choose_axes(HaloGrid& grid) {
  double fewest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int one = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
    const double words =
        static_cast<double>(grid.cells[one]) * grid.cells[other] * row_words_of(grid.cells[axis]);
    if (axis > 0 && words > fewest) continue;
    fewest = words;
    grid.slow_axis = one;
    grid.middle_axis = other;
    grid.fast_axis = axis;
    grid.row_words = row_words_of(grid.cells[axis]);
  }
}

double grid_bits(const HaloGrid& grid) {
  return static_cast<double>(HaloGrid::word_bits) * grid.row_words * grid.cells[grid.slow_axis] *
         grid.cells[grid.middle_axis];
}

/// Returns a grid of cells at least range / reach wide.
HaloGrid grid_of(const system::Box& box, const std::array<double, 3>& extent_nm, double range_nm,
                 int reach) {
  HaloGrid grid{};
  grid.reach = reach;
  for (std::size_t k = 0; k < 3; ++k) {
    const double edge = range_nm / reach * box.counts_per_nm(k) + 1;
    const double spread =
        (box.is_periodic(k) ? box.length_nm[k] : extent_nm[k]) * box.counts_per_nm(k);
    if (box.is_periodic(k)) {
      grid.cells[k] = static_cast<int>(std::clamp(spread / edge, 1.0, most_along_an_axis));
    } else {
      grid.edge[k] = static_cast<std::uint64_t>(std::min(edge, 0x1p62));
      // One more cell because the first residue lies within a cell, one for drift, and `reach` to
      // keep the ends apart.
      const double cells = std::min(spread / edge + 3 + reach, most_along_an_axis);
      grid.cells[k] = static_cast<int>(cells);
    }
  }
  choose_axes(grid);
  return grid;
}

void halve_longest(HaloGrid& grid, const std::array<std::uint64_t, 3>& finest) {
  const auto k =
      static_cast<std::size_t>(std::max_element(grid.cells, grid.cells + 3) - grid.cells);
  grid.cells[k] = std::max(1, grid.cells[k] / 2);
  if (grid.edge[k] == finest[k] && grid.edge[k] < std::uint64_t{1} << 62U) grid.edge[k] *= 2;
  choose_axes(grid);
}

HaloLayers add_layers(const std::vector<int>& layers, std::size_t circle, std::vector<int>& table) {
  HaloLayers added{static_cast<int>(layers.size()), static_cast<int>(table.size()), 0};
  table.insert(table.end(), layers.begin(), layers.end());
  added.inverse = static_cast<int>(table.size());
  table.resize(table.size() + circle, -1);
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const int at = added.inverse + layers[k];
    table[static_cast<std::size_t>(at)] = static_cast<int>(k);
  }
  return added;
}

/// Adds the words that contain these cells, with a mask of their bits.
HaloLayers add_words(const HaloGrid& grid, const std::vector<int>& cells, std::vector<int>& table) {
  std::vector<int> words;
  std::vector<std::uint32_t> bits;
  for (const int cell : cells) {
    if (words.empty() || words.back() != cell / HaloGrid::word_bits) {
      words.push_back(cell / HaloGrid::word_bits);
      bits.push_back(0);
    }
    bits.back() |= 1U << static_cast<unsigned>(cell % HaloGrid::word_bits);
  }
  HaloLayers added = add_layers(words, static_cast<std::size_t>(grid.row_words), table);
  added.mask = static_cast<int>(table.size());
  table.insert(table.end(), bits.begin(), bits.end());
  return added;
}

}  // namespace

HaloGrid choose_halo_grid(const system::Box& box, const std::array<double, 3>& extent_nm,
                          double range_nm, double most_cells) {
  if (!(range_nm > 0) || !std::isfinite(range_nm)) {
    throw std::invalid_argument("a range of " + std::to_string(range_nm) +
                                " nm for the halo's cells (must be > 0)");
  }
  HaloGrid grid{};
  for (const int reach : {3, 2, 1}) {
    grid = grid_of(box, extent_nm, range_nm, reach);
    if (grid_bits(grid) <= most_cells) return grid;
  }
  const std::array<std::uint64_t, 3> finest{grid.edge[0], grid.edge[1], grid.edge[2]};
  while (grid_bits(grid) > std::max<double>(most_cells, HaloGrid::word_bits)) {
    halve_longest(grid, finest);
  }
  return grid;
}

double most_halo_cells(std::int64_t residues) {
  return std::clamp(64.0 * static_cast<double>(residues), 0x1p20, 0x1p24);
}

std::vector<int> shared_indices(std::span<const char> mine, std::span<const char> theirs,
                                int reach) {
  const int circle = static_cast<int>(mine.size());
  const auto is_near = [&](int index) {
    for (int k = 0; k <= std::min(2 * reach, circle - 1); ++k) {
      const int other = ((index - reach + k) % circle + circle) % circle;
      if (theirs[static_cast<std::size_t>(other)] != 0) return true;
    }
    return false;
  };
  std::vector<int> indices;
  for (int index = 0; index < circle; ++index) {
    if (mine[static_cast<std::size_t>(index)] != 0 && is_near(index)) indices.push_back(index);
  }
  return indices;
}

kernels::HaloRegion shared_region(const HaloGrid& grid, HaloMarks mine, HaloMarks theirs,
                                  int offset, std::vector<int>& table) {
  const auto slow = static_cast<std::size_t>(grid.cells[grid.slow_axis]);
  const auto middle = static_cast<std::size_t>(grid.cells[grid.middle_axis]);
  const auto fast = static_cast<std::size_t>(grid.cells[grid.fast_axis]);
  const auto along = [&](std::size_t first, std::size_t count) {
    return shared_indices(mine.subspan(first, count), theirs.subspan(first, count), grid.reach);
  };
  const auto in_slow = along(0, slow);
  const auto in_middle = along(slow, middle);
  const auto in_fast = along(slow + middle, fast);
  if (in_slow.empty() || in_middle.empty() || in_fast.empty()) return {{}, {}, {}, offset};
  return {add_layers(in_slow, slow, table), add_layers(in_middle, middle, table),
          add_words(grid, in_fast, table), offset};
}

}  // namespace nfold::halo
