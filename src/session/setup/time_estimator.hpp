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

/// Estimate of a whole run or ensemble.
struct JobEstimate {
  estimate::JobRow row;    ///< row of the history without a measurement
  estimate::JobTime time;  ///< corrected by similar jobs
  double spread = 0;       ///< standard deviation of ln(measured / estimated) of the whole
};

/// Corrections of the parts of jobs on GPUs, or on cores, by the history.
class JobCorrector {
 public:
  /// kind: "run" or "ensemble". speeds: numbers that decide its other estimates. Reads the history,
  /// if there is one. Throws estimate::HistoryError.
  JobCorrector(const estimate::Machine& machine, bool on_gpu, std::string kind,
               std::span<const double> speeds);

  /// estimated: by the machine's entry. steps, spread_of_steps: corrected time of the steps [s].
  [[nodiscard]] JobEstimate correct(const estimate::JobTime& estimated, double residues, int ranks,
                                    double steps, double spread_of_steps) const;
  [[nodiscard]] const estimate::JobCosts& costs() const { return costs_; }

 private:
  estimate::JobCosts costs_;
  estimate::JobRow row_;
  std::vector<estimate::JobRow> earlier_;
};

/// Estimator of steps on GPUs, or on cores.
class StepEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  StepEstimator(estimate::Machine machine, bool on_gpu);

  [[nodiscard]] StepEstimate of(const estimate::StepDemand& demand,
                                const estimate::Layout& layout) const;
  /// Returns the slowest of these ranks, for which the others wait.
  [[nodiscard]] const estimate::StepDemand& slowest(std::span<const estimate::StepDemand> ranks,
                                                    const estimate::Layout& layout) const;

 private:
  estimate::Machine machine_;
  bool on_gpu_;
  std::string history_name_;
  estimate::LearnedStep learned_;
};

/// Estimate of a run.
struct RunEstimate {
  StepEstimate step;
  JobEstimate job;
};

/// Estimator of whole runs on GPUs, or on cores.
class RunEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  RunEstimator(const estimate::Machine& machine, bool on_gpu);

  /// ranks: counted work of each rank, or of different ones.
  [[nodiscard]] RunEstimate of(std::span<const estimate::StepDemand> ranks,
                               const estimate::Layout& layout, const estimate::JobWork& work) const;

 private:
  StepEstimator steps_;
  JobCorrector corrector_;
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

/// Estimate of an ensemble.
struct EnsembleTime {
  WorkEstimate work;
  JobEstimate job;
};

/// Estimator of whole ensembles on GPUs, or on cores.
class EnsembleEstimator {
 public:
  /// Reads the history, if there is one. Throws estimate::HistoryError.
  EnsembleEstimator(const estimate::Machine& machine, bool on_gpu);

  /// replicas: of all ranks; beside: work that is not of replicas' steps, samples and analysis.
  [[nodiscard]] EnsembleTime of(const estimate::TargetWork& replicas,
                                const estimate::JobWork& beside, const estimate::JobRanks& job,
                                int ranks) const;

 private:
  bool on_gpu_;
  estimate::MachineTable speeds_;
  WorkEstimator steps_;
  JobCorrector corrector_;
};

}  // namespace nfold::setup
