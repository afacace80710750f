// Estimated and measured times of a target: a file in its folder, and the work history.
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

/// Time estimates for targets on this rank. Failures are kept in problem() and affect no target.
class TargetPredictor {
 public:
  /// machine: built-in name or file. Empty: the default of nfold plan.
  TargetPredictor(const std::string& machine, const job::RanksOfJob& ranks);

  /// Returns the estimator. Null if it could not be made.
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

/// Times of one target, from its start in this session. Used by the first rank of its group. Does
/// not affect results.
class TargetRecord {
 public:
  /// The referred-to objects must outlive it. ranks: size of the group.
  TargetRecord(const TargetPredictor& predictor, const plan::TargetWork& work, int ranks)
      : predictor_(predictor), work_(work), ranks_(ranks) {}

  /// Adds the steps of one part in this session. is_whole: the session made the whole part.
  void add(std::size_t part, const setup::TakenSteps& taken, bool is_whole);
  /// Writes NAME.prediction.json and a row of the work history, after the result. had_company:
  /// other targets shared the rank, so that no measured times are written. Returns a failure
  /// message, or empty.
  [[nodiscard]] std::string finish(const BatchFolder& folder, const std::string& target,
                                   bool had_company) const;

 private:
  const TargetPredictor& predictor_;
  const plan::TargetWork& work_;
  int ranks_;
  hardware::OwnTime own_;
  std::size_t whole_parts_ = 0;
  double steps_predicted_ = 0;  // [s] estimate for taken_ by the machine table
  setup::TakenSteps taken_;
};

/// Returns a line with the number of targets within their estimated interval, and a line for each
/// target outside. Counts completely measured targets only. Empty if there are none.
[[nodiscard]] std::vector<std::string> predictions_in_words(
    const BatchFolder& folder, const std::vector<input_files::BatchTarget>& targets);

}  // namespace nfold::batch
