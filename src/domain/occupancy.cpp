// Cells, keys, bitmaps: exact integer geometry.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace nfold::domain {
namespace {

constexpr std::uint64_t bits_per_dimension = 21;
constexpr std::uint64_t mask = (std::uint64_t{1} << bits_per_dimension) - 1;
constexpr double most_periodic_cells = 0x1p20;

std::uint64_t distance_up(std::int64_t low, std::int64_t x) {
  return static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(low);
}

std::size_t volume(const Cell& extent) {
  return static_cast<std::size_t>(extent[0]) * static_cast<std::size_t>(extent[1]) *
         static_cast<std::size_t>(extent[2]);
}

Cell shifted(const Cell& cell, const Cell& shift) {
  return {cell[0] + shift[0], cell[1] + shift[1], cell[2] + shift[2]};
}

/// Bounding box of all ranks' residues; low > high: there is none.
struct Bounds {
  using Limits = std::numeric_limits<std::int64_t>;
  system::FixedPosition low{Limits::max(), Limits::max(), Limits::max()};
  system::FixedPosition high{Limits::min(), Limits::min(), Limits::min()};

  void widen(const system::FixedPosition& to_low, const system::FixedPosition& to_high) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], to_low[k]);
      high[k] = std::max(high[k], to_high[k]);
    }
  }
};

Bounds bounds_of_all(const comm::Communicator& communicator,
                     std::span<const system::FixedPosition> mine) {
  Bounds bounds;
  for (const auto& position : mine) bounds.widen(position, position);
  for (const auto& other : communicator.all_gather(std::span<const Bounds>(&bounds, 1))) {
    bounds.widen(other.low, other.high);
  }
  return bounds;
}

}  // namespace

CellGrid::CellGrid(const comm::Communicator& communicator, const system::Box& box,
                   std::span<const system::FixedPosition> mine, double range_nm,
                   int cells_per_range) {
  if (!(range_nm > 0) || !std::isfinite(range_nm)) {
    throw std::invalid_argument("a range of " + std::to_string(range_nm) +
                                " nm for the cell grid (must be > 0)");
  }
  const Bounds bounds = bounds_of_all(communicator, mine);
  low_ = bounds.low;
  for (std::size_t k = 0; k < 3; ++k) {
    const double edge_counts = range_nm / cells_per_range * box.counts_per_nm(k) + 1;
    if (box.is_periodic(k)) {
      const double most = system::Box::counts_per_turn / edge_counts;
      period_[k] = static_cast<std::int32_t>(std::clamp(most, 1.0, most_periodic_cells));
      continue;
    }
    edge_[k] = static_cast<std::uint64_t>(std::min(edge_counts, 0x1p62));
    if (bounds.high[k] < bounds.low[k]) continue;  // no residue anywhere
    while (distance_up(bounds.low[k], bounds.high[k]) / edge_[k] >= mask) edge_[k] *= 2;
  }
}

Cell CellGrid::cell_of(const system::FixedPosition& position) const {
  constexpr std::uint64_t turn = (std::uint64_t{1} << system::Box::turn_bits) - 1;
  Cell cell{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto period = static_cast<std::uint64_t>(period_[k]);
    // At most 2^20 cells of 2^44 counts: the product is exact.
    cell[k] = static_cast<std::int32_t>(
        period > 0 ? ((static_cast<std::uint64_t>(position[k]) & turn) * period) >>
                         static_cast<unsigned>(system::Box::turn_bits)
                   : distance_up(low_[k], position[k]) / edge_[k]);
  }
  return cell;
}

std::uint64_t key_of(const Cell& cell) {
  return (static_cast<std::uint64_t>(cell[0]) << (2 * bits_per_dimension)) |
         (static_cast<std::uint64_t>(cell[1]) << bits_per_dimension) |
         static_cast<std::uint64_t>(cell[2]);
}

Cell cell_of_key(std::uint64_t key) {
  return {static_cast<std::int32_t>(key >> (2 * bits_per_dimension)),
          static_cast<std::int32_t>((key >> bits_per_dimension) & mask),
          static_cast<std::int32_t>(key & mask)};
}

Occupancy::Occupancy(std::span<const std::uint64_t> keys) {
  if (keys.empty()) return;
  Cell high = low_ = cell_of_key(keys.front());
  for (const auto key : keys) {
    const Cell cell = cell_of_key(key);
    for (std::size_t k = 0; k < 3; ++k) {
      low_[k] = std::min(low_[k], cell[k]);
      high[k] = std::max(high[k], cell[k]);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) extent_[k] = high[k] - low_[k] + 1;
  const std::size_t bitmap_words = volume(extent_) / 64 + 1;
  is_bitmap_ = bitmap_words <= keys.size();
  if (!is_bitmap_) {
    words_.assign(keys.begin(), keys.end());
    return;
  }
  words_.assign(bitmap_words, 0);
  for (const auto key : keys) {
    const Cell cell = cell_of_key(key);
    const auto bit =
        (static_cast<std::size_t>(cell[0] - low_[0]) * static_cast<std::size_t>(extent_[1]) +
         static_cast<std::size_t>(cell[1] - low_[1])) *
            static_cast<std::size_t>(extent_[2]) +
        static_cast<std::size_t>(cell[2] - low_[2]);
    words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

std::vector<char> Occupancy::near(std::span<const std::uint64_t> keys, const Cell& period) const {
  std::vector<char> result(keys.size(), 0);
  if (extent_[0] == 0 || keys.empty()) return result;
  Cell low = cell_of_key(keys.front()), high = low;
  for (const auto key : keys) {
    const Cell cell = cell_of_key(key);
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], cell[k]);
      high[k] = std::max(high[k], cell[k]);
    }
  }
  // Across a border a cell is looked for in its images one period away; where there are so few
  // cells that a further image would be in reach, the cell itself is.
  const auto images = [&period](std::size_t k) { return period[k] > 0 ? 1 : 0; };
  std::vector<Candidate> candidates;
  for (int x = -images(0); x <= images(0); ++x) {
    for (int y = -images(1); y <= images(1); ++y) {
      for (int z = -images(2); z <= images(2); ++z) {
        const Cell shift{x * period[0], y * period[1], z * period[2]};
        if (!box_is_near(shifted(low, shift), shifted(high, shift))) continue;
        candidates.clear();
        for (std::size_t c = 0; c < keys.size(); ++c) {
          const Cell cell = shifted(cell_of_key(keys[c]), shift);
          if (result[c] == 0 && box_is_near(cell, cell)) candidates.push_back({cell, c});
        }
        if (!is_bitmap_) mark_near_in_list(candidates, result);
        for (std::size_t c = 0; is_bitmap_ && c < candidates.size(); ++c) {
          if (bitmap_is_near(candidates[c].cell)) result[candidates[c].index] = 1;
        }
      }
    }
  }
  return result;
}

bool Occupancy::box_is_near(const Cell& low, const Cell& high) const {
  for (std::size_t k = 0; k < 3; ++k) {
    if (high[k] < low_[k] - CellGrid::reach) return false;
    if (low[k] >= low_[k] + extent_[k] + CellGrid::reach) return false;
  }
  return true;
}

bool Occupancy::bitmap_is_near(const Cell& cell) const {
  std::array<std::size_t, 3> from{}, to{};
  for (std::size_t k = 0; k < 3; ++k) {
    from[k] = static_cast<std::size_t>(std::max(cell[k] - CellGrid::reach - low_[k], 0));
    to[k] = static_cast<std::size_t>(std::min(cell[k] + CellGrid::reach + 1 - low_[k], extent_[k]));
  }
  for (std::size_t x = from[0]; x < to[0]; ++x) {
    for (std::size_t y = from[1]; y < to[1]; ++y) {
      const std::size_t row =
          (x * static_cast<std::size_t>(extent_[1]) + y) * static_cast<std::size_t>(extent_[2]);
      if (any_bit(row + from[2], row + to[2])) return true;
    }
  }
  return false;
}

/// Of [from, to), at most 64 of them.
bool Occupancy::any_bit(std::size_t from, std::size_t to) const {
  static_assert(2 * CellGrid::reach + 1 < 64);
  const std::size_t shift = from % 64, word = from / 64;
  std::uint64_t bits = words_[word] >> shift;
  if ((to - 1) / 64 > word) bits |= words_[word + 1] << (64 - shift);
  return (bits & ((std::uint64_t{1} << (to - from)) - 1)) != 0;
}

void Occupancy::mark_near_in_list(std::span<const Candidate> candidates,
                                  std::vector<char>& near) const {
  // Both lists ascend, so each column around is one pass through both.
  constexpr std::int32_t reach = CellGrid::reach, last = static_cast<std::int32_t>(mask);
  for (std::int32_t dx = -reach; dx <= reach; ++dx) {
    for (std::int32_t dy = -reach; dy <= reach; ++dy) {
      auto word = words_.begin();
      for (const auto& [cell, index] : candidates) {
        const std::int32_t x = cell[0] + dx, y = cell[1] + dy;
        if (near[index] != 0 || x < 0 || y < 0 || x > last || y > last) continue;
        const auto lowest = key_of({x, y, std::max(cell[2] - reach, 0)});
        const auto highest = key_of({x, y, std::min(cell[2] + reach, last)});
        while (word != words_.end() && *word < lowest) ++word;
        if (word == words_.end()) break;
        if (*word <= highest) near[index] = 1;
      }
    }
  }
}

}  // namespace nfold::domain
