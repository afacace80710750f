// Step coefficients of a machine, refitted to its recorded runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "estimate/correction.hpp"
#include "estimate/step_model.hpp"

namespace nfold::estimate {

/// Step coefficients learned from the history. With three runs or more, all coefficients of a
/// single rank are refitted. Similar runs then give a correction of the remaining error; with fewer
/// runs, only this correction is applied.
class LearnedStep {
 public:
  /// rows: runs estimated with `prior`, newest first.
  LearnedStep(const StepCoefficients& prior, std::vector<StepRow> rows);

  [[nodiscard]] const StepCoefficients& coefficients() const { return coefficients_; }
  /// Returns the number of runs behind coefficients(); 0 if they are the prior's.
  [[nodiscard]] int fitted_runs() const { return fitted_runs_; }
  /// Returns the correction of a step estimated with coefficients().
  [[nodiscard]] Correction correction(const StepDemand& demand, int ranks) const {
    return correction_for(rows_, demand, ranks);
  }

 private:
  StepCoefficients coefficients_;
  std::vector<StepRow> rows_;  // estimated with coefficients_
  int fitted_runs_ = 0;
};

}  // namespace nfold::estimate
