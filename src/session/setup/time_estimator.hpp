// Estimators of times: a machine's entry, corrected by its history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "estimate/layouts.hpp"
#include "estimate/learned_step.hpp"
#include "estimate/machine.hpp"

namespace nfold::setup {

/// Estimate of a step.
struct StepEstimate {
  estimate::StepTime step;  ///< by coefficients that are fitted to all runs of the machine
  double seconds = 0;       ///< corrected by similar runs
  double by_entry = 0;      ///< [s] by the machine's entry alone
  double spread = 0;        ///< standard deviation of ln(measured / estimated)
  int runs = 0;             ///< earlier runs that it is based on
};

/// Estimator of steps on GPUs, or on cores.
class StepEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  StepEstimator(estimate::Machine machine, bool on_gpu);

  [[nodiscard]] StepEstimate of(const estimate::StepDemand& demand,
                                const estimate::Layout& layout) const;
  /// Name in the history of runs that were estimated with the machine's coefficients.
  [[nodiscard]] const std::string& history_name() const { return history_name_; }
  [[nodiscard]] const estimate::Machine& machine() const { return machine_; }

 private:
  estimate::Machine machine_;
  bool on_gpu_;
  std::string history_name_;
  estimate::LearnedStep learned_;
};

/// Estimate of the time of an ensemble or a target [s].
struct WorkEstimate {
  estimate::WorkSeconds by_entry;  ///< from the machine's entry alone
  estimate::WorkSeconds seconds;   ///< corrected by earlier work
  double spread = 0;               ///< standard deviation of ln(measured / estimated)
  int runs = 0;                    ///< earlier work that it is based on
  std::string by;                  ///< "here and 3 earlier runs"
};

/// Estimator of ensembles and targets on one backend.
class WorkEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  WorkEstimator(estimate::Machine machine, estimate::Backend space);

  [[nodiscard]] WorkEstimate of(const estimate::TargetWork& work, const estimate::JobRanks& job,
                                int ranks) const;
  /// Returns a row of the history without measurements.
  [[nodiscard]] estimate::WorkRow row_of(const estimate::TargetWork& work,
                                         const estimate::JobRanks& job, int ranks) const;

 private:
  estimate::Machine machine_;
  estimate::Backend space_;
  std::string history_name_;
  std::vector<estimate::WorkRow> earlier_;
};

/// Returns "h100 and 3 earlier runs".
[[nodiscard]] std::string describe_predictor(const std::string& machine, int earlier_runs);

}  // namespace nfold::setup
