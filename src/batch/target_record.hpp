// What a target was predicted to take and what it took: a file in its folder, and the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "hardware/processor_time.hpp"
#include "input_files/batch_file.hpp"
#include "job/ranks_of_job.hpp"
#include "plan/dispatch.hpp"
#include "setup/work_record.hpp"

namespace nfold::batch {

/// Of targets on this rank. What fails here is told and harms no target.
class TargetPredictor {
 public:
  /// machine: a built-in name or a file; empty: what a plan would take.
  TargetPredictor(const std::string& machine, const job::RanksOfJob& ranks);

  /// Null: there is none.
  [[nodiscard]] const setup::WorkPredictor* predictor() const {
    return predictor_ ? &*predictor_ : nullptr;
  }
  [[nodiscard]] const plan::JobRanks& job() const { return job_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  plan::JobRanks job_;
  std::optional<setup::WorkPredictor> predictor_;
  std::string problem_;
};

/// Of one target, from when it is begun in this start of the program. Made by the first of the
/// ranks that work on it. Nothing of it is in a result.
class TargetRecord {
 public:
  /// The referred-to objects outlive it. ranks: that work on it together.
  TargetRecord(const TargetPredictor& predictor, const plan::TargetWork& work, int ranks)
      : predictor_(predictor), work_(work), ranks_(ranks) {}

  /// Its steps in this start, of a part of its work. is_whole: all of the part was made in it.
  void add(std::size_t part, const setup::TakenSteps& taken, bool is_whole);
  /// NAME.prediction.json and a row of the history, once its result is there. Whoever had company
  /// on the rank tells of neither steps nor the whole. What failed; empty: nothing did.
  [[nodiscard]] std::string finish(const BatchFolder& folder, const std::string& target,
                                   bool had_company) const;

 private:
  const TargetPredictor& predictor_;
  const plan::TargetWork& work_;
  int ranks_;
  hardware::OwnTime own_;
  std::size_t whole_parts_ = 0;
  double steps_predicted_ = 0;  // by the machine's entry, of taken_
  setup::TakenSteps taken_;
};

/// "8 of 9 targets took what was predicted for them, ..." and a line for each of the others, of
/// those that were measured as a whole; nothing if none was.
[[nodiscard]] std::vector<std::string> predictions_in_words(
    const BatchFolder& folder, const std::vector<input_files::BatchTarget>& targets);

}  // namespace nfold::batch
