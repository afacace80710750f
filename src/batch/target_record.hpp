// Estimated and measured times of a target: a file in its folder, and the work history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "device/hardware/processor_time.hpp"
#include "estimate/dispatch.hpp"
#include "input/batch_file.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/setup/estimate_record.hpp"

namespace nfold::batch {

/// Time estimates for targets on this rank. Failures are kept in problem() and affect no target.
class TargetPredictor {
 public:
  /// machine: built-in name or file. Empty: the default of nfold plan.
  TargetPredictor(const std::string& machine, const job::BackendRanks& ranks);

  /// Returns the estimator. Null if it could not be made.
  [[nodiscard]] const setup::WorkEstimator* predictor() const {
    return predictor_ ? &*predictor_ : nullptr;
  }
  [[nodiscard]] const estimate::JobRanks& job() const { return job_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  estimate::JobRanks job_;
  std::optional<setup::WorkEstimator> predictor_;
  std::string problem_;
};

/// Times of one target, from its start in this session. Used by the first rank of its group. Does
/// not affect results.
class TargetRecord {
 public:
  /// The referred-to objects must outlive it. ranks: size of the group.
  TargetRecord(const TargetPredictor& predictor, const estimate::TargetWork& work, int ranks)
      : predictor_(predictor), work_(work), ranks_(ranks) {}

  /// Adds the steps of one part in this session. is_whole: the session made the whole part.
  void add(std::size_t part, const setup::TimedSteps& taken, bool is_whole);
  /// Writes NAME.prediction.json and a row of the work history, after the result. was_interleaved:
  /// other targets shared the rank, so that no measured times are written. Returns a failure
  /// message, or empty.
  [[nodiscard]] std::string finish(const BatchFolder& folder, const std::string& target,
                                   bool was_interleaved) const;

 private:
  const TargetPredictor& predictor_;
  const estimate::TargetWork& work_;
  int ranks_;
  hardware::ProcessTimer own_;
  std::size_t whole_parts_ = 0;
  double steps_predicted_ = 0;  // [s] estimate for taken_ by the machine table
  setup::TimedSteps taken_;
};

/// Returns a line with the number of targets within their estimated interval, and a line for each
/// target outside. Counts completely measured targets only. Empty if there are none.
[[nodiscard]] std::vector<std::string> describe_estimates(
    const BatchFolder& folder, const std::vector<input::BatchTarget>& targets);

}  // namespace nfold::batch
