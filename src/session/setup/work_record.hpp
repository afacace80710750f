// Estimated and measured times of ensembles and batch targets, for the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "estimate/learned_work.hpp"
#include "estimate/machine.hpp"

namespace nfold::setup {

/// Returns the fit to finished work on this machine; empty without a history.
[[nodiscard]] estimate::LearnedWork learn_work_from_history(const estimate::Machine& machine,
                                                            estimate::Backend space);

/// Returns the name in the history of work that was estimated with these curves.
[[nodiscard]] std::string work_history_name(const estimate::Machine& machine,
                                            estimate::Backend space);

/// Estimate of the time of an ensemble or a target [s].
struct WorkEstimate {
  estimate::WorkSeconds by_entry;  ///< from the machine's entry alone
  estimate::WorkSeconds seconds;   ///< corrected by earlier work
  double spread = 0;               ///< standard deviation of ln(measured / estimated)
  std::string by;                  ///< "here and 3 earlier runs"
};

/// Estimator of work times, as nfold plan by default: for $NFOLD_MACHINE or this computer.
class WorkEstimator {
 public:
  /// wish: another machine, a built-in name or a file; empty: the default. Throws
  /// core::InputError, estimate::HistoryError.
  WorkEstimator(const std::string& wish, estimate::Backend space);

  [[nodiscard]] WorkEstimate of(const estimate::TargetWork& work, const estimate::JobRanks& job,
                                int ranks) const;
  /// Returns a row of the history without measurements.
  [[nodiscard]] estimate::WorkRow row_of(const estimate::TargetWork& work,
                                         const estimate::JobRanks& job, int ranks) const;
  [[nodiscard]] estimate::Backend space() const { return space_; }

 private:
  estimate::Machine machine_;
  estimate::Backend space_;
  estimate::LearnedWork learned_;
};

/// Steps and the time of these steps alone.
struct TimedSteps {
  std::int64_t steps = 0;
  double seconds = 0;
};
/// True if the steps are enough to measure their speed.
[[nodiscard]] bool measures_speed(const TimedSteps& taken);

/// True if one thread of this process does all work of these ranks, so that its own processor time
/// measures the work (hardware::ProcessTimer).
[[nodiscard]] bool is_single_threaded(int ranks);

/// Completes the row and adds it to the history, if there is one and the row has a measurement.
/// Returns a description of a failure, which is harmless; empty on success.
[[nodiscard]] std::string record(estimate::WorkRow row);

}  // namespace nfold::setup
