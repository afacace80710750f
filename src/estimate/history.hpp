// History of runs: estimated and measured step times, used to correct later estimates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "estimate/step_model.hpp"

namespace nfold::estimate {

/// Mean step of a finished run.
struct HistoryRow {
  std::string time, host, version;
  std::string machine;  ///< Machine::based_on of the entry used for the estimate
  bool on_gpu = false;
  int ranks = 1;
  StepDemand demand;             ///< counted work of one rank
  double estimated_seconds = 0;  ///< estimate for a step by the model, not corrected
  double measured_seconds = 0;   ///< mean time of a step
  std::int64_t steps = 0;        ///< number of measured steps
};

/// Thrown if the history cannot be read or written; the message names the file and the reason.
class HistoryError : public core::Failure {
 public:
  using core::Failure::Failure;
};

/// Returns $NFOLD_HISTORY, else nfold/history.sqlite in $XDG_STATE_HOME or ~/.local/state. Nothing
/// if $NFOLD_HISTORY is "off" or there is no home.
[[nodiscard]] std::optional<std::filesystem::path> history_file();

/// Adds a row; creates the file and its folder if they are missing. Concurrent writers wait for
/// each other, at most ten seconds. Throws HistoryError.
void append(const std::filesystem::path& file, const HistoryRow& row);

/// Returns the latest rows of a machine, newest first; empty if there is no file. Throws
/// HistoryError.
[[nodiscard]] std::vector<HistoryRow> step_rows(const std::filesystem::path& file,
                                                const std::string& machine, bool on_gpu);

/// Factor by which an estimate is multiplied.
struct Correction {
  double factor = 1;
  int runs = 0;  ///< number of runs it is based on
  /// Standard deviation of ln(measured / corrected) over these runs; 0 if fewer than three.
  double spread = 0;
};
/// Returns the geometric mean of measured / estimated over the ten newest of the most similar rows.
/// These have the same pair form and precision; if there are such rows, also a third to three times
/// the residues of a rank; of these, if there are such rows, also one rank or several, like this
/// job.
[[nodiscard]] Correction correction_for(const std::vector<HistoryRow>& rows,
                                        const StepDemand& demand, int ranks);

}  // namespace nfold::estimate
