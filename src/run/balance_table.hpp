// NAME.balance.csv: how busy the ranks were at each assessment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "io/csv.hpp"
#include "run/load_watch.hpp"

namespace nfold::run {

/// A row for each rank at each assessment, so that a resume on other ranks goes on in the file.
/// There is none before the first assessment. For one rank. storage::FileError.
class BalanceTable {
 public:
  /// continues_after: the step of the checkpoint that the run goes on from; rows behind it go.
  BalanceTable(std::filesystem::path path, std::optional<std::int64_t> continues_after);

  void write(const Assessment& assessment, double seconds);
  /// Everything written is on the disk.
  void sync();

 private:
  std::filesystem::path path_;
  std::optional<std::int64_t> continues_after_;
  std::optional<io::CsvWriter> file_;
};

}  // namespace nfold::run
