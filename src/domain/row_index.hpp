// Lookup of a residue's row on this rank, in a quarter of a byte per residue of the system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nfold::domain {

/// Rows of many ascending ids (a bit for each id, and the number of ids before each 64 of them),
/// followed by rows of few ascending ids (binary search).
class RowIndex {
 public:
  /// ids: below `residues`, ascending; the last `partners` of them ascending on their own and
  /// disjoint from the first.
  RowIndex(std::span<const int> ids, std::size_t partners, std::size_t residues)
      : words_(residues / word_bits + 1) {
    const auto owned = ids.first(ids.size() - partners);
    for (const int id : owned) words_[word_of(id)].bits |= bit_of(id);
    int before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += std::popcount(word.bits);
    }
    owned_ = before;
    partner_.assign(ids.end() - static_cast<std::ptrdiff_t>(partners), ids.end());
  }
  RowIndex() = default;

  /// Returns the row; -1 if the residue has none.
  [[nodiscard]] int operator[](int id) const {
    const Word& word = words_[word_of(id)];
    const auto bit = bit_of(id);
    if ((word.bits & bit) != 0) return word.before + std::popcount(word.bits & (bit - 1));
    const auto at = std::lower_bound(partner_.begin(), partner_.end(), id);
    if (at == partner_.end() || *at != id) return -1;
    return owned_ + static_cast<int>(at - partner_.begin());
  }

 private:
  static constexpr std::size_t word_bits = 64;
  struct Word {
    std::uint64_t bits = 0;
    int before = 0;
  };
  [[nodiscard]] static std::size_t word_of(int id) {
    return static_cast<std::size_t>(id) / word_bits;
  }
  [[nodiscard]] static std::uint64_t bit_of(int id) {
    return std::uint64_t{1} << (static_cast<unsigned>(id) % word_bits);
  }

  std::vector<Word> words_;
  std::vector<int> partner_;
  int owned_ = 0;
};

}  // namespace nfold::domain
