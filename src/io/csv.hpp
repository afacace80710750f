// NAME.energies.csv: one row of numbers per report, whole rows only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "storage/posix_file.hpp"

namespace nfold::io {

/// First column `step`, then one per name; names carry their unit ("bond_kj_mol"). Numbers are the
/// shortest that read back to the same double. On one rank.
class CsvWriter {
 public:
  /// comment: a line behind the names, which begins with # for readers to skip; empty: none.
  [[nodiscard]] static CsvWriter create(const std::filesystem::path& path,
                                        const std::vector<std::string>& columns,
                                        const std::string& comment = "");
  /// Drops a torn last line and all rows after `last_step`, and goes on behind them. FileError if
  /// the columns are others, or if not `expected_rows` are left (a gap; -1: not checked).
  [[nodiscard]] static CsvWriter append(const std::filesystem::path& path,
                                        const std::vector<std::string>& columns,
                                        std::int64_t last_step, std::int64_t expected_rows = -1);

  /// Kept until a second has passed since the last flush. std::invalid_argument if there are not
  /// as many values as columns.
  void write_row(std::int64_t step, std::span<const double> values);
  void flush();
  /// flush() and on the disk. Call before each checkpoint.
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
