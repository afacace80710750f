// Coefficients of a machine's steps, moved towards what its runs took.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "plan/history.hpp"
#include "plan/step_model.hpp"

namespace nfold::plan {

/// From three runs on all coefficients of a rank alone are fitted anew. Runs like the one that is
/// asked for then tell how far that is still off: with fewer runs all that is learned.
class LearnedStep {
 public:
  /// rows: of runs that `prior` predicted, newest first.
  LearnedStep(const StepCoefficients& prior, std::vector<HistoryRow> rows);

  [[nodiscard]] const StepCoefficients& coefficients() const { return coefficients_; }
  /// Runs that coefficients() are fitted to; 0: they are the prior's.
  [[nodiscard]] int fitted_runs() const { return fitted_runs_; }
  /// By what a step of coefficients() is to be multiplied.
  [[nodiscard]] Correction correction(const StepDemand& demand, int ranks) const {
    return correction_for(rows_, demand, ranks);
  }

 private:
  StepCoefficients coefficients_;
  std::vector<HistoryRow> rows_;  // predicted by coefficients_
  int fitted_runs_ = 0;
};

}  // namespace nfold::plan
