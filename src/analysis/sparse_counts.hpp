// Counts of sparse keys: only keys that occurred are stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/distinct_residues.hpp"
#include "analysis/word_stream.hpp"

namespace nfold::analysis {

/// Sorted counts. Memory: 16 bytes per key, twice that while new ones are merged.
class SparseCounts {
 public:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t count = 0;
    [[nodiscard]] bool operator==(const Entry&) const = default;
  };

  /// Returns the key of a table element.
  [[nodiscard]] static std::uint64_t key_of(int row, int column) {
    return (static_cast<std::uint64_t>(row) << 32U) | static_cast<std::uint64_t>(column);
  }
  [[nodiscard]] static int row_of(std::uint64_t key) { return static_cast<int>(key >> 32U); }
  [[nodiscard]] static int column_of(std::uint64_t key) {
    return static_cast<int>(key & 0xffffffffU);
  }

  void add(std::uint64_t key, std::int64_t count = 1);
  void add(std::span<const Entry> entries) {
    for (const auto& [key, count] : entries) add(key, count);
  }
  /// Returns the entries, ascending by key, each key once.
  [[nodiscard]] std::span<const Entry> entries() const;
  /// Returns the entries and leaves none.
  [[nodiscard]] std::vector<Entry> take();

  static void save(std::span<const Entry> entries, WordWriter& to);
  /// Restores the saved counts of these rows. Throws std::out_of_range for invalid data.
  void restore(WordReader& from, RowRange rows);

 private:
  void sort_in() const;

  // New counts are buffered in waiting_, so that merging adds little cost per count.
  mutable std::vector<Entry> sorted_, waiting_;
};

}  // namespace nfold::analysis
