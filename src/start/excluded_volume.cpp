// Cells, blocks of cells and the hash that finds a block.
// SPDX-License-Identifier: BSD-3-Clause

#include "start/excluded_volume.hpp"

#include <limits>
#include <utility>

namespace nfold::start {

ExcludedVolume::ExcludedVolume(const system::Box& box, std::size_t residues, double reach_nm)
    : grid_(box, reach_nm),
      unwrapped_(residues, Point{0, 0, 0}),
      placed_at_(residues, {Point{0, 0, 0}, -1}),
      placed_(residues, 0),
      key_(1024, 0),
      block_(1024, -1) {
  for (std::size_t k = 0; k < 3; ++k) {
    half_nm_[k] =
        box.is_periodic(k) ? 0.5 * box.length_nm[k] : std::numeric_limits<double>::infinity();
  }
}

std::vector<Point> ExcludedVolume::take_positions() {
  auto positions = std::move(unwrapped_);
  *this = ExcludedVolume(box(), 0, 1);
  return positions;
}

double ExcludedVolume::squared_distance(const Point& a, const Point& b) const {
  return squared_wrapped(grid_.into_box(a), grid_.into_box(b));
}

std::uint64_t ExcludedVolume::key_of(const Cell& cell) {
  std::uint64_t key = 1;  // above the 3 x 21 bits, so that no key is 0
  for (const auto c : cell) {
    key = (key << 21U) | (static_cast<std::uint64_t>(block_along(c)) & 0x1fffffU);
  }
  return key;
}

std::size_t ExcludedVolume::place_in_block(const Cell& cell) {
  std::size_t place = 0;
  for (const auto c : cell) {
    place = place * block_edge + (static_cast<std::size_t>(c) & (block_edge - 1));
  }
  return place;
}

std::int64_t ExcludedVolume::block_of(std::uint64_t key) const {
  const std::size_t mask = key_.size() - 1;
  for (std::size_t slot = (key * 0x9e3779b97f4a7c15U) >> 32U;; ++slot) {
    const std::uint64_t found = key_[slot & mask];
    if (found == key) return block_[slot & mask];
    if (found == 0) return -1;
  }
}

std::int64_t ExcludedVolume::make_block(std::uint64_t key) {
  if (2 * (blocks_ + 1) > key_.size()) grow_table();
  const std::size_t mask = key_.size() - 1;
  std::size_t slot = (key * 0x9e3779b97f4a7c15U) >> 32U;
  while (key_[slot & mask] != 0) ++slot;
  key_[slot & mask] = key;
  const auto start = static_cast<std::int64_t>(blocks_++ * block_cells);
  block_[slot & mask] = start;
  head_.resize(head_.size() + block_cells, -1);
  return start;
}

void ExcludedVolume::grow_table() {
  const auto old_key = std::move(key_);
  const auto old_block = std::move(block_);
  key_.assign(4 * old_key.size(), 0);
  block_.assign(key_.size(), -1);
  const std::size_t mask = key_.size() - 1;
  for (std::size_t i = 0; i < old_key.size(); ++i) {
    if (old_key[i] == 0) continue;
    std::size_t slot = (old_key[i] * 0x9e3779b97f4a7c15U) >> 32U;
    while (key_[slot & mask] != 0) ++slot;
    key_[slot & mask] = old_key[i];
    block_[slot & mask] = old_block[i];
  }
}

void ExcludedVolume::add(int id, const Point& x_nm) {
  const std::size_t i = index(id);
  unwrapped_[i] = x_nm;
  placed_at_[i].wrapped = grid_.into_box(x_nm);
  const Cell cell = grid_.cell_of(placed_at_[i].wrapped);
  const std::uint64_t key = key_of(cell);
  std::int64_t block = block_of(key);
  if (block < 0) block = make_block(key);
  int& head = head_[static_cast<std::size_t>(block) + place_in_block(cell)];
  placed_at_[i].next = head;
  head = id;
  placed_[i] = 1;
}

void ExcludedVolume::remove_latest(int id) {
  const std::size_t i = index(id);
  const Cell cell = grid_.cell_of(placed_at_[i].wrapped);
  head_[static_cast<std::size_t>(block_of(key_of(cell))) + place_in_block(cell)] =
      placed_at_[i].next;
  placed_[i] = 0;
}

std::array<int, 27> ExcludedVolume::lists_around(const Point& wrapped) const {
  constexpr std::array<std::int64_t, 3> offsets{0, -1, 1};  // the nearest are found first
  const Cell centre = grid_.cell_of(wrapped);
  std::array<Cell, 3> along{};  // along[axis][offset]
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t o = 0; o < 3; ++o) {
      along[k][o] = grid_.closed(k, centre[k] + offsets[o]);
    }
  }
  // Three cells along an axis lie in two blocks at most, but for boxes of a few cells: each block
  // is looked up once, where its first cell along each axis comes.
  std::array<std::array<std::size_t, 3>, 3> same{};  // the first offset with this one's block
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t o = 1; o < 3; ++o) {
      same[k][o] = o;
      for (std::size_t p = o; p-- > 0;) {
        if (block_along(along[k][p]) == block_along(along[k][o])) same[k][o] = p;
      }
    }
  }
  std::array<int, 27> lists;
  std::array<std::int64_t, 27> block;
  std::size_t n = 0;
  for (std::size_t x = 0; x < 3; ++x) {
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t z = 0; z < 3; ++z) {
        const Cell cell{along[0][x], along[1][y], along[2][z]};
        const std::size_t first = (same[0][x] * 3 + same[1][y]) * 3 + same[2][z];
        block[n] = first == n ? block_of(key_of(cell)) : block[first];
        lists[n] =
            block[n] < 0 ? -1 : head_[static_cast<std::size_t>(block[n]) + place_in_block(cell)];
        ++n;
      }
    }
  }
  return lists;
}

int ExcludedVolume::crowd(const Point& x_nm) const {
  int count = 0;
  (void)any_near(x_nm, [&count](int, double) {
    ++count;
    return false;
  });
  return count;
}

}  // namespace nfold::start
