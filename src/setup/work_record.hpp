// What ensembles and targets of batches are predicted to take, and what they took, for the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "plan/learned_work.hpp"
#include "plan/machine.hpp"

namespace nfold::setup {

/// What finished works of this machine took; nothing where there is no history.
[[nodiscard]] plan::LearnedWork learn_works_from_history(const plan::Machine& machine,
                                                         plan::Space space);

/// Under which name works that these curves predicted are kept.
[[nodiscard]] std::string works_name(const plan::Machine& machine, plan::Space space);

/// [s]
struct WorkPrediction {
  plan::WorkSeconds by_entry;  ///< of the machine's entry alone
  plan::WorkSeconds seconds;   ///< with what earlier works told
  double spread = 0;           ///< standard deviation of ln(real / predicted)
  std::string by;              ///< "here and 3 earlier runs"
};

/// Predicts as a plan without another word would: by $NFOLD_MACHINE or this computer.
class WorkPredictor {
 public:
  /// wish: another machine, a built-in name or a file; empty: none. document::InputError, and
  /// plan::HistoryError.
  WorkPredictor(const std::string& wish, plan::Space space);

  [[nodiscard]] WorkPrediction of(const plan::TargetWork& work, const plan::JobRanks& job,
                                  int ranks) const;
  /// A row to which measurements are still to be added.
  [[nodiscard]] plan::WorkRow row_of(const plan::TargetWork& work, const plan::JobRanks& job,
                                     int ranks) const;
  [[nodiscard]] plan::Space space() const { return space_; }

 private:
  plan::Machine machine_;
  plan::Space space_;
  plan::LearnedWork learned_;
};

/// Steps and what they took, nothing else in it.
struct TakenSteps {
  std::int64_t steps = 0;
  double seconds = 0;
};
/// Whether they are enough to say how fast steps are.
[[nodiscard]] bool tells_speed(const TakenSteps& taken);

/// Whether one thread of this process does all of the work of so many ranks: then its own time on
/// processors tells what that took (hardware::OwnTime).
[[nodiscard]] bool one_thread_works(int ranks);

/// Completes it and adds it to the history, if there is one and it has something measured. What
/// failed, which harms nothing; empty: nothing did.
[[nodiscard]] std::string record(plan::WorkRow row);

}  // namespace nfold::setup
