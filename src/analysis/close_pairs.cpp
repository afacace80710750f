// Cells of a periodic or open region, sorted by key.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/close_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace nfold::analysis {
namespace {

constexpr std::int64_t most_cells_along = std::int64_t{1} << 20;  // three fit a key
// A cell is wider than the range by more than rounding can move a point.
constexpr double margin = 1 - 1e-9;

}  // namespace

ClosePairs::ClosePairs(const system::Box& box, std::span<const Point> x_nm, double range_nm)
    : box_(box), range_nm_(range_nm) {
  choose_cells(x_nm);
  points_.reserve(x_nm.size());
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    const Point inside = into_box(x_nm[i]);
    points_.push_back({key_of(cell_of(inside)), static_cast<int>(i), inside});
  }
  std::ranges::sort(points_, [](const SortedPoint& a, const SortedPoint& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  for (std::size_t at = 0; at < points_.size(); ++at) {
    if (cells_.empty() || cells_.back().key != points_[at].key) {
      cells_.push_back({points_[at].key, at});
    }
  }
  cells_.push_back({~std::uint64_t{0}, points_.size()});
}

void ClosePairs::choose_cells(std::span<const Point> x_nm) {
  for (std::size_t k = 0; k < 3; ++k) {
    width_nm_[k] = box_.length_nm[k];
    if (!box_.is_periodic(k) && !x_nm.empty()) {
      const auto [low, high] = std::ranges::minmax_element(
          x_nm, [k](const Point& a, const Point& b) { return a[k] < b[k]; });
      low_nm_[k] = (*low)[k];
      width_nm_[k] = (*high)[k] - (*low)[k];
    }
    const double cells = std::floor(margin * width_nm_[k] / range_nm_);
    cells_along_[k] =
        static_cast<std::int64_t>(std::clamp(cells, 1.0, static_cast<double>(most_cells_along)));
  }
}

Point ClosePairs::into_box(const Point& x_nm) const {
  Point inside = x_nm;
  for (std::size_t k = 0; k < 3; ++k) {
    if (box_.is_periodic(k)) {
      inside[k] -= box_.length_nm[k] * std::floor(inside[k] / box_.length_nm[k]);
    }
  }
  return inside;
}

std::array<std::int64_t, 3> ClosePairs::cell_of(const Point& x_nm) const {
  std::array<std::int64_t, 3> cell{};
  for (std::size_t k = 0; k < 3; ++k) {
    if (width_nm_[k] <= 0) continue;
    const double place = (x_nm[k] - low_nm_[k]) / width_nm_[k];
    cell[k] = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(place * static_cast<double>(cells_along_[k])), 0,
        cells_along_[k] - 1);
  }
  return cell;
}

std::uint64_t ClosePairs::key_of(const std::array<std::int64_t, 3>& cell) const {
  return static_cast<std::uint64_t>((cell[0] * cells_along_[1] + cell[1]) * cells_along_[2] +
                                    cell[2]);
}

void ClosePairs::find_later_neighbours(std::size_t home,
                                       std::vector<std::size_t>& neighbours) const {
  neighbours.clear();
  const auto centre = cell_of(points_[cells_[home].first].x_nm);
  for (int n = 0; n < 27; ++n) {
    std::array<std::int64_t, 3> cell{centre[0] + n / 9 - 1, centre[1] + n / 3 % 3 - 1,
                                     centre[2] + n % 3 - 1};
    bool exists = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto along = cells_along_[k];
      if (box_.is_periodic(k)) cell[k] = (cell[k] + along) % along;
      exists = exists && cell[k] >= 0 && cell[k] < along;
    }
    const auto key = key_of(cell);
    if (!exists || key <= cells_[home].key) continue;
    const auto found = std::ranges::lower_bound(cells_, key, {}, &Cell::key);
    if (found->key == key) neighbours.push_back(static_cast<std::size_t>(found - cells_.begin()));
  }
  // With one or two cells along an axis the same cell is a neighbour on both sides.
  std::ranges::sort(neighbours);
  const auto repeated = std::ranges::unique(neighbours);
  neighbours.erase(repeated.begin(), repeated.end());
}

}  // namespace nfold::analysis
