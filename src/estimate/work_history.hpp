// History of estimated and measured times of ensembles and of targets of batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "estimate/dispatch.hpp"

namespace nfold::estimate {

/// Finished ensemble, or target of a batch. Estimates are the machine's, not corrected.
struct WorkRow {
  std::string time, host, version;
  std::string machine;  ///< machine whose curves gave the estimate
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

/// Adds a row to the history (history.hpp). Throws HistoryError.
void append(const std::filesystem::path& file, const WorkRow& row);
/// Returns the latest rows of a machine, newest first; empty if there is no file. Throws
/// HistoryError.
[[nodiscard]] std::vector<WorkRow> work_rows(const std::filesystem::path& file,
                                             const std::string& machine, Backend space);

}  // namespace nfold::estimate
