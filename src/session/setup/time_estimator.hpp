// Estimators of times: a machine's entry, corrected by its history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "estimate/layouts.hpp"
#include "estimate/learned_step.hpp"
#include "estimate/machine.hpp"

namespace nfold::setup {

/// Estimate of a step.
struct StepEstimate {
  estimate::StepRow row;    ///< row of the history without a measurement
  estimate::StepTime step;  ///< by coefficients that are fitted to all runs of the machine
  double seconds = 0;       ///< corrected by similar runs
  double spread = 0;        ///< standard deviation of ln(measured / estimated)
  int runs = 0;             ///< earlier runs that it is based on
  std::string by;           ///< "h100 and 3 earlier runs"
};

/// Estimator of steps on GPUs, or on cores.
class StepEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  StepEstimator(estimate::Machine machine, bool on_gpu);

  [[nodiscard]] StepEstimate of(const estimate::StepDemand& demand,
                                const estimate::Layout& layout) const;
  /// Estimates the slowest of these ranks, for which the others wait.
  [[nodiscard]] StepEstimate of(std::span<const estimate::StepDemand> ranks,
                                const estimate::Layout& layout) const;

 private:
  estimate::Machine machine_;
  bool on_gpu_;
  std::string history_name_;
  estimate::LearnedStep learned_;
};

/// Estimate of the time of an ensemble or a target [s].
struct WorkEstimate {
  estimate::WorkRow row;  ///< row of the history without measurements; `predicted`: by the entry
  estimate::WorkSeconds seconds;  ///< corrected by earlier work
  double spread = 0;              ///< standard deviation of ln(measured / estimated)
  int runs = 0;                   ///< earlier work that it is based on
  std::string by;                 ///< "here and 3 earlier runs"
};

/// Estimator of ensembles and targets on one backend.
class WorkEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  WorkEstimator(estimate::Machine machine, estimate::Backend space);

  [[nodiscard]] WorkEstimate of(const estimate::TargetWork& work, const estimate::JobRanks& job,
                                int ranks) const;

 private:
  estimate::Machine machine_;
  estimate::Backend space_;
  std::string history_name_;
  std::vector<estimate::WorkRow> earlier_;
};

}  // namespace nfold::setup
