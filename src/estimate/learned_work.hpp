// Times of ensembles and targets, corrected by the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "estimate/work_history.hpp"

namespace nfold::estimate {

/// Estimate corrected by the history.
struct LearnedSeconds {
  WorkSeconds seconds;
  int runs = 0;  ///< runs of the history it is based on; 0: the machine's entry alone
  /// Standard deviation of ln(real / estimated), widened for few runs; 0 if fewer than three.
  double spread = 0;
};

/// Correction of estimates by similar targets: one factor for steps, one for overhead.
class LearnedWork {
 public:
  LearnedWork() = default;
  /// rows: those of one machine, newest first.
  explicit LearnedWork(std::vector<WorkRow> rows);

  /// Returns the corrected estimate. predicted: estimate for `work` on `ranks` ranks by the
  /// machine's entry. The ten newest of the most similar rows count. These have the same curve; if
  /// there are such rows, also a third to three times the residues; of these, if there are such
  /// rows, also one rank or several, like this job.
  [[nodiscard]] LearnedSeconds learned(const WorkSeconds& predicted, const TargetWork& work,
                                       Backend space, int ranks) const;

 private:
  std::vector<WorkRow> rows_;
};

}  // namespace nfold::estimate
