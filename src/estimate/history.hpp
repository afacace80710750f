// History of jobs: estimated and measured times, used to correct later estimates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "estimate/dispatch.hpp"
#include "estimate/job_time.hpp"
#include "estimate/step_model.hpp"

namespace nfold::estimate {

/// Time, host and program of a row.
struct Origin {
  std::string time, host, version;
};

/// Mean step of a finished run.
struct StepRow {
  Origin origin;
  std::string machine;  ///< name of the machine's coefficients
  bool on_gpu = false;
  int ranks = 1;
  StepDemand demand;             ///< counted work of one rank
  double estimated_seconds = 0;  ///< estimate for a step by the model, not corrected
  double measured_seconds = 0;   ///< mean time of a step
  std::int64_t steps = 0;        ///< number of measured steps
};

/// Finished ensemble, or target of a batch. Estimates are the machine's, not corrected.
struct WorkRow {
  Origin origin;
  std::string machine;  ///< name of the machine's curves
  std::string name;     ///< name of the ensemble or target
  Backend space = Backend::cpu;
  int ranks = 1;    ///< ranks that shared it
  int threads = 1;  ///< per rank
  StepCurve curve = StepCurve::resident;
  double residues = 0;  ///< per replica
  double replicas = 1;  ///< in the largest part
  /// [s] Estimate and measurement of the same steps, undisturbed; 0 if not measured.
  double steps_predicted = 0, steps_measured = 0;
  WorkSeconds predicted;  ///< estimate of the whole
  double measured = 0;    ///< [s] whole; 0: resumed, or not alone on its ranks
};

/// Finished run or ensemble that was neither resumed nor stopped. Estimates are the machine's, not
/// corrected.
struct JobRow {
  Origin origin;
  std::string machine;  ///< name of the machine's costs
  std::string kind;     ///< "run" or "ensemble"
  bool on_gpu = false;
  int ranks = 1;
  double residues = 0;  ///< sum over all replicas
  JobTime estimated, measured;
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
void append(const std::filesystem::path& file, const StepRow& row);
void append(const std::filesystem::path& file, const WorkRow& row);
void append(const std::filesystem::path& file, const JobRow& row);

/// Return the latest rows of a machine, newest first; empty if there is no file. Throw
/// HistoryError.
[[nodiscard]] std::vector<StepRow> step_rows(const std::filesystem::path& file,
                                             const std::string& machine, bool on_gpu);
[[nodiscard]] std::vector<WorkRow> work_rows(const std::filesystem::path& file,
                                             const std::string& machine, Backend space);
[[nodiscard]] std::vector<JobRow> job_rows(const std::filesystem::path& file,
                                           const std::string& machine, bool on_gpu);

}  // namespace nfold::estimate
