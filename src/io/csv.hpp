// NAME.energies.csv: one row of numbers per report, whole rows only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/storage/posix_file.hpp"

namespace nfold::io {

/// Writer of a table whose first column is `step`, followed by one column per name. Names contain
/// the unit ("bond_kj_mol"). Numbers are the shortest that read back to the same double. For one
/// rank.
class CsvWriter {
 public:
  /// Creates the file. `comment` is a line behind the names that begins with #, which readers skip;
  /// empty: none.
  [[nodiscard]] static CsvWriter create(const std::filesystem::path& path,
                                        const std::vector<std::string>& columns,
                                        const std::string& comment = "");
  /// Opens the file to append. Drops a torn last line and all rows after `last_step`. Throws
  /// FileError if the columns differ, or if the number of remaining rows is not `expected_rows`
  /// (-1: not checked).
  [[nodiscard]] static CsvWriter append(const std::filesystem::path& path,
                                        const std::vector<std::string>& columns,
                                        std::int64_t last_step, std::int64_t expected_rows = -1);

  /// Appends a row, buffered until a second has passed since the last flush. Throws
  /// std::invalid_argument if the number of values is not the number of columns.
  void write_row(std::int64_t step, std::span<const double> values);
  void flush();
  /// Flushes and syncs to disk. Must be called before each checkpoint.
  void sync();
  [[nodiscard]] std::int64_t row_count() const { return rows_; }

 private:
  CsvWriter(storage::PosixFile file, std::size_t columns, std::int64_t end, std::int64_t rows);

  storage::PosixFile file_;
  std::size_t columns_;
  std::int64_t end_, rows_;
  std::string pending_;
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace nfold::io
