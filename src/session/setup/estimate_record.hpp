// Estimated and measured times of jobs, for the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/busy_clock.hpp"
#include "estimate/history.hpp"
#include "estimate/sampling.hpp"
#include "input/settings.hpp"
#include "session/job/performance.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/time_estimator.hpp"

namespace nfold::setup {

/// Record of one rank for all of them. Failures are reported and do not fail the run.
class EstimateRecord {
 public:
  /// Estimates as nfold plan does: a large system of many copies by a part, others by `planner`,
  /// which has the whole system at its start or, if is_resumed, at a checkpoint. ranks_per_node:
  /// ranks on each of the equal nodes. records_history: end() adds rows.
  EstimateRecord(const MemoryEstimator& planner, const input::Settings& settings,
                 const std::filesystem::path& input_file, int ranks, int ranks_per_node,
                 bool is_resumed, bool records_history);

  /// Returns "a step took 12.1 us, 11.8 us were predicted by h100 (3 % less)" and further messages.
  /// Adds runs that are long enough to the history. parts: measured parts of the whole job; none if
  /// it was resumed or stopped.
  [[nodiscard]] std::vector<std::string> end(const engine::BusyTime& time,
                                             const std::optional<estimate::JobTime>& parts);
  /// Returns the estimated parts of the job by the machine's entry, without a measurement.
  [[nodiscard]] const estimate::JobRow& job_row() const { return job_.row; }
  /// Empty without an estimate.
  [[nodiscard]] const std::optional<job::StepTimeEstimate>& predicted() const { return predicted_; }
  /// True if these steps are enough for a comparison with the estimate.
  [[nodiscard]] static bool is_enough(const engine::BusyTime& time);

 private:
  estimate::StepRow row_;
  JobEstimate job_;
  bool records_history_;
  std::optional<job::StepTimeEstimate> predicted_;
  std::string problem_;
};

/// Compares a whole job with its estimate and adds it to the history. Returns lines for the log.
[[nodiscard]] std::vector<std::string> record_job(const JobEstimate& estimated,
                                                  const estimate::JobTime& measured,
                                                  bool records_history = true);

/// Steps and the time of these steps alone.
struct TimedSteps {
  std::int64_t steps = 0;
  double seconds = 0;
};
/// True if the steps of replicas are enough to measure their speed.
[[nodiscard]] bool measures_speed(const TimedSteps& taken);

/// True if one thread of this process does all work of these ranks, so that its own processor time
/// measures the work (hardware::ProcessTimer).
[[nodiscard]] bool is_single_threaded(int ranks);

/// Returns "12.1 us, 11.8 us were predicted by h100 (3 % more)". measured, predicted: [s].
[[nodiscard]] std::string compare_step(double measured, double predicted, const std::string& by);
/// Returns the deviation from the estimate, "3 % more".
[[nodiscard]] std::string describe_deviation(double measured, double predicted);

/// Set the row's origin and add it to the history, if there is one. Return a description of a
/// failure, which is harmless; empty on success. Rows of work without a measurement are left out.
[[nodiscard]] std::string add_to_history(estimate::StepRow row);
[[nodiscard]] std::string add_to_history(estimate::WorkRow row);
[[nodiscard]] std::string add_to_history(estimate::SampledRow row);
[[nodiscard]] std::string add_to_history(estimate::JobRow row);

}  // namespace nfold::setup
