// Counts of keys of which most never occur: only those that did are kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/words.hpp"

namespace nfold::analysis {

/// Memory: 16 bytes a key, twice that while new ones are sorted in.
class SparseCounts {
 public:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t count = 0;
    [[nodiscard]] bool operator==(const Entry&) const = default;
  };

  /// A key of a table with rows.
  [[nodiscard]] static std::uint64_t key_of(int row, int column) {
    return (static_cast<std::uint64_t>(row) << 32U) | static_cast<std::uint64_t>(column);
  }
  [[nodiscard]] static int row_of(std::uint64_t key) { return static_cast<int>(key >> 32U); }
  [[nodiscard]] static int column_of(std::uint64_t key) {
    return static_cast<int>(key & 0xffffffffU);
  }

  void add(std::uint64_t key, std::int64_t count = 1);
  /// By key, each once.
  [[nodiscard]] std::span<const Entry> entries() const;
  /// The same and nothing left.
  [[nodiscard]] std::vector<Entry> take();

  static void save(std::span<const Entry> entries, WordWriter& to);
  /// std::out_of_range for words that are no counts. keep(key): whether an entry is taken over.
  template <class Keep>
  void restore(WordReader& from, const Keep& keep) {
    const auto words = from.get_all();
    read(words);
    std::erase_if(sorted_, [&](const Entry& entry) { return !keep(entry.key); });
    sorted_.shrink_to_fit();
  }

 private:
  void sort_in() const;
  void read(std::span<const std::int64_t> words);

  // What was added lately waits, so that sorting in costs little of each count.
  mutable std::vector<Entry> sorted_, waiting_;
};

}  // namespace nfold::analysis
