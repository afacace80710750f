// Means with statistical errors by blocking, from exact integer sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "analysis/word_stream.hpp"

namespace nfold::analysis {

/// Returns `value` in units of `quantum`, rounded to nearest. Throws AnalysisError, naming `what`,
/// unless it is finite and below 2^52 quanta in magnitude.
[[nodiscard]] std::int64_t to_fixed_point(double value, double quantum, const char* what);
/// Returns a + b. Throws AnalysisError if it overflows.
[[nodiscard]] std::int64_t sum_within_range(std::int64_t a, std::int64_t b);

/// Columns of integers, one row per frame. Level l holds sums over 2^l consecutive rows, so that
/// the error of a correlated series is that of blocks long enough to be independent: Flyvbjerg and
/// Petersen, J. Chem. Phys. 91, 461 (1989). Memory: about 32 bytes per column and level.
class BlockedSums {
 public:
  explicit BlockedSums(std::size_t columns) : columns_(columns) {}

  /// Adds one row. Throws AnalysisError if the sum of a column overflows 64 bits.
  void add(std::span<const std::int64_t> row);
  [[nodiscard]] std::int64_t rows() const { return levels_.empty() ? 0 : levels_[0].blocks; }
  /// Returns the mean of a column, in the unit of its integers; NaN without rows.
  [[nodiscard]] double mean(std::size_t column) const;
  /// Returns the standard error of mean(): the largest over all block lengths with at least
  /// fewest_blocks blocks; NaN with fewer rows than that.
  [[nodiscard]] double error(std::size_t column) const;

  /// Column of values that are NaN in tables.
  static constexpr auto no_column = static_cast<std::size_t>(-1);
  /// Adds `table` with the means of these columns, and PATH_error with their standard errors.
  /// factor: unit of the table per unit of the integers. error_text: description of the errors;
  /// empty: "standard error by blocking of NAME".
  void add_tables(Result table, std::span<const std::size_t> columns, double factor,
                  std::vector<Result>& results, std::string error_text = "") const;

  void save(WordWriter& to) const;
  /// Throws std::out_of_range for sums of another number of columns.
  void restore(WordReader& from);

 private:
  struct Level {
    std::int64_t blocks = 0;
    std::vector<std::int64_t> sum;       // (columns) over all blocks
    std::vector<Int128> sum_of_squares;  // (columns)
    std::vector<std::int64_t> waiting;   // (columns) a block without partner, if `blocks` is odd
  };
  [[nodiscard]] double error_at(const Level& level, std::size_t column, double block_rows) const;

  std::size_t columns_;
  std::vector<Level> levels_;
};

}  // namespace nfold::analysis
