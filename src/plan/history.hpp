// What runs were predicted to take and what they took: kept, so that the next prediction is better.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/step_model.hpp"

namespace nfold::plan {

/// A step of a finished run.
struct HistoryRow {
  std::string time, host, version;
  std::string machine;  ///< Machine::based_on of the entry that predicted
  bool on_gpu = false;
  int ranks = 1;
  StepDemand demand;             ///< of one rank
  double predicted_seconds = 0;  ///< of a step by the model, not corrected
  double measured_seconds = 0;   ///< of a step
  std::int64_t steps = 0;        ///< that were measured
};

/// A file cannot be read or written; the text says which and why.
class HistoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// $NFOLD_HISTORY; else nfold/history.sqlite in $XDG_STATE_HOME or ~/.local/state. None where
/// $NFOLD_HISTORY is "off" or there is no home.
[[nodiscard]] std::optional<std::filesystem::path> history_file();

/// Adds a row; makes file and folder where they are missing. Many may write at once: each waits for
/// the others up to ten seconds. HistoryError.
void append(const std::filesystem::path& file, const HistoryRow& row);

/// The latest rows of a machine, newest first; none where there is no file. HistoryError.
[[nodiscard]] std::vector<HistoryRow> rows_of(const std::filesystem::path& file,
                                              const std::string& machine, bool on_gpu);

/// By what a prediction is to be multiplied.
struct Correction {
  double factor = 1;
  int runs = 0;  ///< that told
  /// Of ln(measured / corrected), of these runs; 0: fewer than three.
  double spread = 0;
};
/// The mean of the ten newest rows that are most alike, in logarithms: of the same form of pairs
/// and precision; if there are such, from a third to three times the residues of a rank; of these,
/// if there are such, on one rank or on several as this one.
[[nodiscard]] Correction correction_for(const std::vector<HistoryRow>& rows,
                                        const StepDemand& demand, int ranks);

}  // namespace nfold::plan
