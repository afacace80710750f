// Estimated and measured times of ensembles and batch targets, for the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "plan/learned_work.hpp"
#include "plan/machine.hpp"

namespace nfold::setup {

/// Returns the fit to finished work on this machine; empty without a history.
[[nodiscard]] plan::LearnedWork learn_works_from_history(const plan::Machine& machine,
                                                         plan::Space space);

/// Returns the name in the history of work that was estimated with these curves.
[[nodiscard]] std::string works_name(const plan::Machine& machine, plan::Space space);

/// Estimate of the time of an ensemble or a target [s].
struct WorkPrediction {
  plan::WorkSeconds by_entry;  ///< from the machine's entry alone
  plan::WorkSeconds seconds;   ///< corrected by earlier work
  double spread = 0;           ///< standard deviation of ln(measured / estimated)
  std::string by;              ///< "here and 3 earlier runs"
};

/// Estimator of work times, as nfold plan by default: for $NFOLD_MACHINE or this computer.
class WorkPredictor {
 public:
  /// wish: another machine, a built-in name or a file; empty: the default. Throws
  /// document::InputError, plan::HistoryError.
  WorkPredictor(const std::string& wish, plan::Space space);

  [[nodiscard]] WorkPrediction of(const plan::TargetWork& work, const plan::JobRanks& job,
                                  int ranks) const;
  /// Returns a row of the history without measurements.
  [[nodiscard]] plan::WorkRow row_of(const plan::TargetWork& work, const plan::JobRanks& job,
                                     int ranks) const;
  [[nodiscard]] plan::Space space() const { return space_; }

 private:
  plan::Machine machine_;
  plan::Space space_;
  plan::LearnedWork learned_;
};

/// Steps and the time of these steps alone.
struct TakenSteps {
  std::int64_t steps = 0;
  double seconds = 0;
};
/// True if the steps are enough to measure their speed.
[[nodiscard]] bool tells_speed(const TakenSteps& taken);

/// True if one thread of this process does all work of these ranks, so that its own processor time
/// measures the work (hardware::OwnTime).
[[nodiscard]] bool one_thread_works(int ranks);

/// Completes the row and adds it to the history, if there is one and the row has a measurement.
/// Returns a description of a failure, which is harmless; empty on success.
[[nodiscard]] std::string record(plan::WorkRow row);

}  // namespace nfold::setup
