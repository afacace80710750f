// What ensembles and targets of batches were predicted to take and what they took.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plan/dispatch.hpp"

namespace nfold::plan {

/// A finished ensemble, or target of a batch. Predictions are the machine's, not corrected.
struct WorkRow {
  std::string time, host, version;
  std::string machine;  ///< which curves predicted
  std::string name;     ///< of the ensemble or target, for people
  Space space = Space::cpu;
  int ranks = 1;    ///< that worked on it together
  int threads = 1;  ///< of each
  StepCurve curve = StepCurve::resident;
  double residues = 0;  ///< of one replica
  double replicas = 1;  ///< of the largest part
  /// [s] Of the same steps: those that were measured undisturbed, or 0.
  double steps_predicted = 0, steps_measured = 0;
  WorkSeconds predicted;  ///< of the whole
  double measured = 0;    ///< [s] of the whole; 0: it was not made in one go, or not alone
};

/// Adds a row to the history (history.hpp). HistoryError.
void append(const std::filesystem::path& file, const WorkRow& row);
/// The latest rows of a machine, newest first; none where there is no file. HistoryError.
[[nodiscard]] std::vector<WorkRow> work_rows(const std::filesystem::path& file,
                                             const std::string& machine, Space space);

}  // namespace nfold::plan
