// Neighbour lists that teams of lanes read: where an entry stands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Threads of a block of the pair loop.
inline constexpr int pair_block_log2 = 7;
inline constexpr int pair_block = 1 << pair_block_log2;

/// Full lists of the owned slots. A team of 2^lanes_log2 lanes works on a row. Each lane reads four
/// entries at once, so that a warp reads 512 contiguous bytes, and the lanes of a team look at
/// consecutive entries together, which lie near each other in memory: entries of a group of rows
/// alternate by chunks of four times the team, and within a chunk entry k is the (k / team)-th of
/// lane k % team. All lists have the same room.
struct TeamLists {
  int* entry;    // slots
  int* count;    // (selected) may exceed the capacity where a list had no room
  int capacity;  // of one list, a multiple of the chunk
  int lanes_log2;
  int selected;  // owned slots

  [[nodiscard]] NFOLD_FUNCTION int chunk_log2() const { return lanes_log2 + 2; }
  /// Where the list of a slot begins; entry k stands at begin + step(k).
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
  // As kernels::PairLists, for energies and virials.
  [[nodiscard]] NFOLD_FUNCTION int record_of(int slot) const { return slot; }
  [[nodiscard]] NFOLD_FUNCTION int length(int slot) const {
    return count[slot] < capacity ? count[slot] : capacity;
  }
  [[nodiscard]] NFOLD_FUNCTION int entry_at(int slot, int k) const {
    return entry[begin(slot) + step(k)];
  }
};

/// Of lists that were counted, the longest, had they room or not.
struct LongestList {
  const int* count;
  NFOLD_FUNCTION void operator()(int slot, int& longest) const {
    if (count[slot] > longest) longest = count[slot];
  }
};

/// The blocks of the pair loop that have ghosts in their lists: a bit each, so that what a
/// multiprocessor looks at stays in its L1 cache.
struct BorderBlocks {
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
