// Cells, keys, bitmaps: exact integer geometry.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/occupancy.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace nfold::domain {
namespace {

constexpr std::uint64_t bits_per_dimension = 21;
constexpr std::uint64_t mask = (std::uint64_t{1} << bits_per_dimension) - 1;
constexpr std::size_t header_words = 4;

std::uint64_t distance_up(std::int64_t low, std::int64_t x) {
  return static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(low);
}

std::size_t volume(const Cell& extent) {
  return static_cast<std::size_t>(extent[0]) * static_cast<std::size_t>(extent[1]) *
         static_cast<std::size_t>(extent[2]);
}

}  // namespace

CellGrid::CellGrid(const comm::Communicator& communicator,
                   std::span<const system::FixedPosition> mine, std::int64_t range_counts) {
  if (range_counts < 1) {
    throw std::invalid_argument("a range of " + std::to_string(range_counts) +
                                " counts for the cell grid (must be > 0)");
  }
  using Limits = std::numeric_limits<std::int64_t>;
  struct Box {
    system::FixedPosition low{Limits::max(), Limits::max(), Limits::max()};
    system::FixedPosition high{Limits::min(), Limits::min(), Limits::min()};
  } box;
  const auto widen = [](Box& b, const system::FixedPosition& low,
                        const system::FixedPosition& high) {
    for (std::size_t k = 0; k < 3; ++k) {
      b.low[k] = std::min(b.low[k], low[k]);
      b.high[k] = std::max(b.high[k], high[k]);
    }
  };
  for (const auto& position : mine) widen(box, position, position);
  for (const auto& other : communicator.all_gather(std::span<const Box>(&box, 1))) {
    widen(box, other.low, other.high);
  }
  low_ = box.low;
  edge_ = static_cast<std::uint64_t>(range_counts);
  for (std::size_t k = 0; k < 3; ++k) {
    if (box.high[k] < box.low[k]) return;  // no residue anywhere
    while (distance_up(box.low[k], box.high[k]) / edge_ >= mask) edge_ *= 2;
  }
}

Cell CellGrid::cell_of(const system::FixedPosition& position) const {
  Cell cell{};
  for (std::size_t k = 0; k < 3; ++k) {
    cell[k] = static_cast<std::int32_t>(distance_up(low_[k], position[k]) / edge_);
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

std::vector<Occupancy> Occupancy::all(const comm::Communicator& communicator,
                                      std::span<const std::uint64_t> my_keys) {
  const Occupancy mine(my_keys);
  // length, bitmap or not, low corner, extent; then the words
  std::vector<std::uint64_t> published{mine.words_.size(), mine.is_bitmap_ ? 1U : 0U,
                                       key_of(mine.low_), key_of(mine.extent_)};
  published.insert(published.end(), mine.words_.begin(), mine.words_.end());
  const auto everything = communicator.all_gather(std::span<const std::uint64_t>(published));
  std::vector<Occupancy> result;
  for (std::size_t at = 0; at < everything.size();) {
    Occupancy one;
    const auto length = static_cast<std::ptrdiff_t>(everything[at]);
    one.is_bitmap_ = everything[at + 1] != 0;
    one.low_ = cell_of_key(everything[at + 2]);
    one.extent_ = cell_of_key(everything[at + 3]);
    const auto words = everything.begin() + static_cast<std::ptrdiff_t>(at + header_words);
    one.words_.assign(words, words + length);
    at += header_words + static_cast<std::size_t>(length);
    result.push_back(std::move(one));
  }
  return result;
}

std::vector<char> Occupancy::near(std::span<const std::uint64_t> keys) const {
  std::vector<char> result(keys.size(), 0);
  if (extent_[0] == 0) return result;
  if (!is_bitmap_) {
    mark_near_in_list(keys, result);
    return result;
  }
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const Cell cell = cell_of_key(keys[c]);
    result[c] = box_is_near(cell) && bitmap_is_near(cell) ? 1 : 0;
  }
  return result;
}

bool Occupancy::box_is_near(const Cell& cell) const {
  for (std::size_t k = 0; k < 3; ++k) {
    if (cell[k] < low_[k] - 1 || cell[k] > low_[k] + extent_[k]) return false;
  }
  return true;
}

bool Occupancy::bitmap_is_near(const Cell& cell) const {
  std::array<std::size_t, 3> from{}, to{};
  for (std::size_t k = 0; k < 3; ++k) {
    from[k] = static_cast<std::size_t>(std::max(cell[k] - 1 - low_[k], 0));
    to[k] = static_cast<std::size_t>(std::min(cell[k] + 2 - low_[k], extent_[k]));
  }
  for (std::size_t x = from[0]; x < to[0]; ++x) {
    for (std::size_t y = from[1]; y < to[1]; ++y) {
      const std::size_t row =
          (x * static_cast<std::size_t>(extent_[1]) + y) * static_cast<std::size_t>(extent_[2]);
      for (std::size_t bit = row + from[2]; bit < row + to[2]; ++bit) {
        if (((words_[bit / 64] >> (bit % 64)) & 1U) != 0) return true;
      }
    }
  }
  return false;
}

void Occupancy::mark_near_in_list(std::span<const std::uint64_t> keys,
                                  std::vector<char>& near) const {
  // Both lists ascend, so each of the nine columns around is one pass through both.
  for (const std::int32_t dx : {-1, 0, 1}) {
    for (const std::int32_t dy : {-1, 0, 1}) {
      auto word = words_.begin();
      for (std::size_t c = 0; c < keys.size() && word != words_.end(); ++c) {
        const Cell cell = cell_of_key(keys[c]);
        const Cell other{cell[0] + dx, cell[1] + dy, cell[2]};
        if (near[c] != 0 || other[0] < 0 || other[1] < 0 || !box_is_near(cell)) continue;
        const std::uint64_t middle = key_of(other);
        const std::uint64_t first = cell[2] > 0 ? middle - 1 : middle;
        while (word != words_.end() && *word < first) ++word;
        if (word != words_.end() && *word <= middle + 1) near[c] = 1;
      }
    }
  }
}

}  // namespace nfold::domain
