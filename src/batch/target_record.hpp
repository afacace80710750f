// Estimated and measured times of a target: a file in its folder, and the work history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "batch/context.hpp"
#include "batch/folder.hpp"
#include "device/hardware/processor_time.hpp"
#include "estimate/dispatch.hpp"
#include "input/batch_file.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/setup/estimate_record.hpp"

namespace nfold::batch {

/// Times of one target, from its start in this session. Used by the first rank of its group. Does
/// not affect results.
class TargetRecord {
 public:
  /// The referred-to objects must outlive it. ranks: size of the group.
  TargetRecord(const BatchContext& context, const estimate::TargetWork& work, int ranks)
      : context_(context), work_(work), ranks_(ranks) {}

  /// Adds the steps of one part in this session. is_whole: the session made the whole part.
  void add(std::size_t part, const setup::TimedSteps& taken, bool is_whole);
  /// Writes NAME.prediction.json and a row of the work history, after the result. was_interleaved:
  /// other targets shared the rank, so that no measured times are written. Returns a failure
  /// message, or empty.
  [[nodiscard]] std::string finish(const std::string& target, bool was_interleaved) const;

 private:
  [[nodiscard]] setup::WorkEstimate estimate_work(const estimate::TargetWork& work) const {
    return context_.estimator->of(work, context_.ranks.ranks(), ranks_);
  }

  const BatchContext& context_;
  const estimate::TargetWork& work_;
  int ranks_;
  hardware::ProcessTimer own_;
  std::size_t whole_parts_ = 0;
  double step_seconds_estimate_ = 0;  // for taken_, by the machine table
  setup::TimedSteps taken_;
};

/// Returns a line with the number of targets within their estimated interval, and a line for each
/// target outside. Counts completely measured targets only. Empty if there are none.
[[nodiscard]] std::vector<std::string> describe_estimates(
    const BatchFolder& folder, const std::vector<input::BatchTarget>& targets);

}  // namespace nfold::batch
