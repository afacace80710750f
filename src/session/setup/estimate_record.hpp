// Estimated and measured step time of a run, for the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/busy_clock.hpp"
#include "estimate/history.hpp"
#include "estimate/learned_step.hpp"
#include "estimate/machine.hpp"
#include "input/settings.hpp"
#include "session/job/performance.hpp"
#include "session/setup/memory_estimate.hpp"

namespace nfold::setup {

/// Record of one rank for all of them. Failures are reported and do not fail the run.
class EstimateRecord {
 public:
  /// Estimates as nfold plan does: a large system of many copies by a part, others by `planner`,
  /// which has the whole system at its start or, if is_resumed, at a checkpoint. ranks_per_node:
  /// ranks on each of the equal nodes.
  EstimateRecord(const MemoryEstimator& planner, const input::Settings& settings,
                 const std::filesystem::path& input_file, int ranks, int ranks_per_node,
                 bool is_resumed);

  /// Returns "a step took 12.1 us, 11.8 us were predicted by h100 (3 % less)" and further messages.
  /// Adds runs that are long enough to the history.
  [[nodiscard]] std::vector<std::string> end(const engine::BusyTime& time);
  /// Empty without an estimate.
  [[nodiscard]] std::optional<job::StepTimeEstimate> predicted() const;
  /// True if these steps are enough for a comparison with the estimate.
  [[nodiscard]] static bool is_enough(const engine::BusyTime& time);

 private:
  std::optional<estimate::HistoryRow> row_;
  std::string machine_, problem_;
  double spread_ = 0;           // spread of the model, or of similar runs
  int earlier_runs_ = 0;        // used for the estimate
  double learned_seconds_ = 0;  // step time estimate with the history
};

/// Returns the fit to earlier runs on this machine and sets the machine's coefficients to it; empty
/// without a history.
[[nodiscard]] std::optional<estimate::LearnedStep> learn_from_history(estimate::Machine& machine,
                                                                      bool on_gpu);

/// Returns the name in the history of runs that were estimated with these coefficients.
[[nodiscard]] std::string history_name(const estimate::Machine& machine, bool on_gpu);
/// Returns the machine's name and a hash of its coefficients, to four digits.
[[nodiscard]] std::string hashed_name(const std::string& machine, std::span<const double> numbers);
/// Returns the deviation from the estimate, "3 % more".
[[nodiscard]] std::string describe_deviation(double measured, double predicted);
/// Returns "h100 and 3 earlier runs".
[[nodiscard]] std::string describe_predictor(const std::string& machine, int earlier_runs);

}  // namespace nfold::setup
