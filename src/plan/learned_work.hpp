// What ensembles and targets take, moved towards what those of the history took.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "plan/work_history.hpp"

namespace nfold::plan {

/// A prediction with what the history told.
struct LearnedSeconds {
  WorkSeconds seconds;
  int runs = 0;  ///< of the history that told; 0: it is as the machine's entry has it
  /// Standard deviation of ln(real / predicted), as so few runs tell it; 0: fewer than three.
  double spread = 0;
};

/// Steps, and what is done beside them, each have a factor. One work corrects those like it.
class LearnedWork {
 public:
  LearnedWork() = default;
  /// rows: of one machine, newest first.
  explicit LearnedWork(std::vector<WorkRow> rows);

  /// predicted: of `work` on so many ranks, by the machine's entry. The ten newest rows tell that
  /// are most alike: of the same curve; if there are such, from a third to three times the
  /// residues; of these, if there are such, on one rank or on several as this one.
  [[nodiscard]] LearnedSeconds learned(const WorkSeconds& predicted, const TargetWork& work,
                                       Space space, int ranks) const;

 private:
  std::vector<WorkRow> rows_;
};

}  // namespace nfold::plan
