// Memory layout of the neighbour lists that teams of lanes read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Threads per block of the pair loop.
inline constexpr int pair_block_log2 = 7;
inline constexpr int pair_block = 1 << pair_block_log2;

/// Full lists of the owned slots. A team of 2^lanes_log2 lanes processes a row. Each lane reads
/// four entries at once, so that a warp reads 512 contiguous bytes, and the lanes of a team process
/// consecutive entries, which are near each other in memory. Entries of a group of rows are
/// interleaved by chunks of four times the team, and within a chunk entry k is the (k / team)-th of
/// lane k % team. All lists have the same capacity.
struct TeamLists {
  int* entry;    // slots
  int* count;    // (selected) exceeds the capacity on overflow
  int capacity;  // entries of one list, a multiple of the chunk
  int lanes_log2;
  int selected;  // owned slots

  [[nodiscard]] NFOLD_FUNCTION int chunk_log2() const { return lanes_log2 + 2; }
  /// Returns the offset of a slot's list; entry k is at begin + step(k).
  [[nodiscard]] NFOLD_FUNCTION std::int64_t begin(int slot) const {
    const int rows_log2 = 5 - lanes_log2;
    const std::int64_t group = slot >> rows_log2;
    const int row = slot & ((1 << rows_log2) - 1);
    return ((group * (capacity >> chunk_log2())) << 7) + (row << chunk_log2());
  }
  [[nodiscard]] NFOLD_FUNCTION int step(int k) const {
    const int within = k & ((1 << chunk_log2()) - 1);
    const int lane = within & ((1 << lanes_log2) - 1);
    return ((k >> chunk_log2()) << 7) + (lane << 2) + (within >> lanes_log2);
  }
  // Interface of kernels::PairLists, for energies and virials.
  [[nodiscard]] NFOLD_FUNCTION int record_of(int slot) const { return slot; }
  [[nodiscard]] NFOLD_FUNCTION int length(int slot) const {
    return count[slot] < capacity ? count[slot] : capacity;
  }
  [[nodiscard]] NFOLD_FUNCTION int entry_at(int slot, int k) const {
    return entry[begin(slot) + step(k)];
  }
};

/// Longest counted list, even beyond the capacity. Work item: one slot.
struct LongestList {
  const int* count;
  NFOLD_FUNCTION void operator()(int slot, int& longest) const {
    if (count[slot] > longest) longest = count[slot];
  }
};

/// Blocks of the pair loop with ghosts in their lists: one bit per block, so that the bits stay in
/// the L1 cache.
struct GhostBlocks {
  unsigned* word;  // (words_for(blocks))

  [[nodiscard]] static NFOLD_FUNCTION int words_for(int blocks) { return (blocks + 31) / 32; }
  NFOLD_FUNCTION void add(int block) const {
    Kokkos::atomic_or(&word[block / 32], 1U << static_cast<unsigned>(block % 32));
  }
  [[nodiscard]] NFOLD_FUNCTION bool holds(int block) const {
    return (word[block / 32] >> static_cast<unsigned>(block % 32) & 1U) != 0;
  }
};

}  // namespace nfold::kernels
