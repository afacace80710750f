// NAME.balance.csv: load of the ranks at each assessment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "io/csv.hpp"
#include "session/run/load_watch.hpp"

namespace nfold::run {

/// Table with a row for each rank at each assessment, so that a resume on other ranks can continue
/// the file. The file is created at the first assessment. Used by one rank. Throws
/// storage::FileError.
class BalanceTable {
 public:
  /// resumes_after: step of the checkpoint from which the run resumes; later rows are removed.
  BalanceTable(std::filesystem::path path, std::optional<std::int64_t> resumes_after);

  void write(const Assessment& assessment, double seconds);
  /// Flushes all rows to disk.
  void sync();

 private:
  std::filesystem::path path_;
  std::optional<std::int64_t> resumes_after_;
  std::optional<io::CsvWriter> file_;
};

}  // namespace nfold::run
