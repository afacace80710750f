// Cell lists in a hash table of blocks of cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/excluded_volume.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace nfold::start {
namespace {

std::size_t slot_of(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15U) >> 32U; }

}  // namespace

ExcludedVolume::ExcludedVolume(const system::Box& box, std::size_t residues, double reach_nm,
                               FindExactPosition settled)
    : grid_(box, reach_nm),
      find_exact_position_(std::move(settled)),
      node_(residues),
      key_(1024, 0),
      block_(1024, 0) {
  for (std::size_t k = 0; k < 3; ++k) {
    half_nm_[k] =
        box.is_periodic(k) ? 0.5 * box.length_nm[k] : std::numeric_limits<double>::infinity();
    width_nm_[k] = grid_.width_nm(k);
    // Half a step along each axis is below one step in all; the rest is a margin for rounding.
    position_error_nm_ = std::max(position_error_nm_, width_nm_[k] / offset_steps);
  }
}

ExcludedVolume::ExcludedVolume(const system::Box& box, double reach_nm)
    : ExcludedVolume(box, 0, reach_nm, {}) {}

void ExcludedVolume::begin(std::span<const IdRange> molecule) {
  molecule_.assign(molecule.begin(), molecule.end());
  std::size_t residues = 0;
  for (const auto& range : molecule_) residues += static_cast<std::size_t>(range.end - range.first);
  current_nm_.resize(residues);
}

void ExcludedVolume::begin_alone(std::span<const IdRange> molecule) {
  begin(molecule);
  first_id_ = molecule.front().first;
  const auto span = static_cast<std::size_t>(molecule.back().end - first_id_);
  if (node_.size() < span) node_.resize(span);
}

std::uint64_t ExcludedVolume::key_of_block(const Cell& pair) {
  std::uint64_t key = 1;  // a bit above the 3 x 21 bits, so that no key is 0
  for (const auto p : pair) key = (key << 21U) | (static_cast<std::uint64_t>(p >> 1U) & 0x1fffffU);
  return key;
}

std::size_t ExcludedVolume::index_in_block(const Cell& pair) {
  std::size_t index = 0;
  for (const auto p : pair) index = 2 * index + (static_cast<std::size_t>(p) & 1U);
  return index;
}

std::int64_t ExcludedVolume::block_of(std::uint64_t key) const {
  const std::size_t mask = key_.size() - 1;
  for (std::size_t slot = slot_of(key);; ++slot) {
    const std::uint64_t found = key_[slot & mask];
    if (found == key) return static_cast<std::int64_t>(block_[slot & mask] * pairs_in_block);
    if (found == 0) return -1;
  }
}

std::int64_t ExcludedVolume::make_block(std::uint64_t key) {
  if (3 * (blocks_ + 1) > 2 * key_.size()) grow_table();
  const std::size_t mask = key_.size() - 1;
  std::size_t slot = slot_of(key);
  while (key_[slot & mask] != 0) ++slot;
  key_[slot & mask] = key;
  block_[slot & mask] = static_cast<std::uint32_t>(blocks_);
  head_.resize(head_.size() + pairs_in_block, end_of_list);
  return static_cast<std::int64_t>(blocks_++ * pairs_in_block);
}

void ExcludedVolume::grow_table() {
  const auto old_key = std::move(key_);
  const auto old_block = std::move(block_);
  key_.assign(2 * old_key.size(), 0);
  block_.assign(key_.size(), 0);
  const std::size_t mask = key_.size() - 1;
  for (std::size_t i = 0; i < old_key.size(); ++i) {
    if (old_key[i] == 0) continue;
    std::size_t slot = slot_of(old_key[i]);
    while (key_[slot & mask] != 0) ++slot;
    key_[slot & mask] = old_key[i];
    block_[slot & mask] = old_block[i];
  }
}

int& ExcludedVolume::head_of(const Cell& cell) {
  const Cell pair{cell[0] >> 1U, cell[1] >> 1U, cell[2] >> 1U};
  const std::uint64_t key = key_of_block(pair);
  std::int64_t block = block_of(key);
  if (block < 0) block = make_block(key);
  return head_[static_cast<std::size_t>(block) + index_in_block(pair)];
}

void ExcludedVolume::add(int id, const Point& x_nm) {
  current_nm_[work_index(id)] = x_nm;
  const Point wrapped = grid_.into_box(x_nm);
  const Cell cell = grid_.cell_of(wrapped);
  std::uint64_t packed = 0;
  for (unsigned k = 3; k-- > 0;) {
    const double offset = wrapped[k] / width_nm_[k] - static_cast<double>(cell[k]);
    const double step = std::clamp(std::floor(offset * offset_steps), 0.0, offset_steps - 1);
    packed = (packed << offset_bits) | static_cast<std::uint64_t>(step);
  }
  for (unsigned k = 3; k-- > 0;)
    packed = (packed << 1U) | (static_cast<std::uint64_t>(cell[k]) & 1U);
  int& head = head_of(cell);
  node_[node_index(id)] = {static_cast<std::uint32_t>(packed),
                           static_cast<std::uint32_t>(packed >> 32U), head};
  head = id;
}

void ExcludedVolume::remove_latest(int id) {
  Node& node = node_[node_index(id)];
  head_of(grid_.cell_of(grid_.into_box(at(id)))) = node.next;
  node.next = nowhere;
}

ExcludedVolume::PairsAlong ExcludedVolume::pairs_along(std::size_t axis, std::int64_t cell) const {
  constexpr std::array<std::int64_t, 3> offsets{0, -1, 1};  // nearest first
  PairsAlong along;
  for (const auto offset : offsets) {
    const std::int64_t other = grid_.wrap_index(axis, cell + offset);
    std::size_t index = 0;
    while (index < along.count && along.pair[index].pair != other >> 1U) ++index;
    PairAlong& pair = along.pair[index];
    if (index == along.count) {
      ++along.count;
      pair.pair = other >> 1U;
      const auto lower = static_cast<double>(2 * pair.pair);
      pair.low_nm = {lower * width_nm_[axis], (lower + 1) * width_nm_[axis]};
    }
    ++pair.times[static_cast<std::size_t>(other) & 1U];
  }
  return along;
}

int ExcludedVolume::count_nearby(const Point& x_nm) const {
  int count = 0;
  (void)walk(grid_.into_box(x_nm), [&count](int, const Point&, int times) {
    count += times;
    return false;
  });
  return count;
}

}  // namespace nfold::start
