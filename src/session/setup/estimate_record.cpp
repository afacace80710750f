// Step time estimate at the start, measured step time at the end, rows of the history.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/estimate_record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "core/host_name.hpp"
#include "core/utc.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "estimate/interval.hpp"
#include "session/setup/job_work.hpp"
#include "session/setup/machine_lookup.hpp"
#include "session/setup/step_demand.hpp"

namespace nfold::setup {
namespace {

// Shorter runs mostly measure their start, in which skins are autotuned.
constexpr double min_measured_seconds = 1;
constexpr std::int64_t min_measured_steps = 500;
// Parts of a shorter job are too short to be measured.
constexpr double min_job_seconds = 0.5;

RunEstimate predicted_run(const RunEstimator& estimator, const MemoryEstimator& planner,
                          const input::Settings& settings, const std::filesystem::path& input_file,
                          const estimate::Layout& layout, bool is_resumed) {
  const auto estimate_with = [&](const MemoryEstimator& one, std::int64_t residues, bool gathers) {
    auto demands = step_demands(one, settings, layout.nodes, layout.ranks_per_node);
    if (gathers) let_chains_gather(demands, settings);
    return estimator.of(demands, layout, count_job_work(settings, one, residues));
  };
  // A checkpoint is counted as it is; a part is always a new start.
  const bool gathers = !is_resumed;
  const std::int64_t known = planner.topology().residue_count();
  if (known <= predicted_residues) return estimate_with(planner, known, gathers);
  auto part = build_part(comm::Communicator(), settings, input_file, predicted_residues);
  const auto residues = part.residues;
  if (!stands_for_whole(part, settings)) return estimate_with(planner, residues, gathers);
  return estimate_with(MemoryEstimator(settings, input_file, std::move(part)), residues, true);
}

/// Adds a row of any table.
template <class Row>
std::string add_row(Row row) {
  const auto file = estimate::history_file();
  if (!file) return {};
  try {
    row.origin = {core::utc(std::time(nullptr)), core::host_name(), core::version};
    estimate::append(*file, row);
  } catch (const std::exception& failure) {
    return fmt::format("not added to the history: {}", failure.what());
  }
  return {};
}

}  // namespace

EstimateRecord::EstimateRecord(const MemoryEstimator& planner, const input::Settings& settings,
                               const std::filesystem::path& input_file, int ranks,
                               int ranks_per_node, bool is_resumed, bool records_history)
    : records_history_(records_history) {
  try {
    const bool on_gpu = device::computes_on_gpu();
    const RunEstimator estimator(machine_for(""), on_gpu);
    const estimate::Layout layout{(ranks + ranks_per_node - 1) / ranks_per_node, ranks_per_node,
                                  on_gpu};
    auto [step, job] = predicted_run(estimator, planner, settings, input_file, layout, is_resumed);
    row_ = std::move(step.row);
    row_.ranks = job.row.ranks = ranks;
    job_ = std::move(job);
    predicted_ = job::StepTimeEstimate{step.seconds, step.spread, std::move(step.by), job_.time};
  } catch (const std::exception& failure) {
    problem_ = failure.what();
  }
}

bool EstimateRecord::is_enough(const engine::BusyTime& time) {
  return time.steps >= min_measured_steps && time.seconds >= min_measured_seconds;
}

std::vector<std::string> EstimateRecord::end(const engine::BusyTime& time,
                                             const std::optional<estimate::JobTime>& parts) {
  if (!problem_.empty()) return {"no prediction: " + problem_};
  std::vector<std::string> lines;
  if (parts) lines = record_job(job_, *parts, records_history_);
  if (!is_enough(time)) return lines;
  row_.measured_seconds = time.seconds / static_cast<double>(time.steps);
  row_.steps = time.steps;
  lines.push_back("a step took " +
                  compare_step(row_.measured_seconds, predicted_->seconds, predicted_->by));
  if (!records_history_) return lines;
  if (const auto failure = add_to_history(row_); !failure.empty()) lines.push_back(failure);
  return lines;
}

std::vector<std::string> record_job(const JobEstimate& estimated, const estimate::JobTime& measured,
                                    bool records_history) {
  const double seconds = measured.seconds(), predicted = estimated.time.seconds();
  if (seconds < min_job_seconds) return {};
  const auto [low, high] = estimate::ninety_percent_interval(predicted, estimated.spread);
  std::vector<std::string> lines{
      fmt::format("the job took {:.4g} s, {:.4g} s were predicted, {:.4g} to {:.4g} s with 90 % "
                  "({})",
                  seconds, predicted, low, high, describe_deviation(seconds, predicted)),
      "  took " + describe_parts(measured), "  predicted " + describe_parts(estimated.time)};
  if (!records_history) return lines;
  auto row = estimated.row;
  row.measured = measured;
  if (const auto failure = add_to_history(std::move(row)); !failure.empty()) {
    lines.push_back(failure);
  }
  return lines;
}

bool measures_speed(const TimedSteps& taken) {
  // Replicas have no skins to be autotuned: their speed is constant from the first step.
  constexpr double least_seconds = 0.2;
  constexpr std::int64_t least_steps = 500;
  return taken.seconds >= least_seconds && taken.steps >= least_steps;
}

bool is_single_threaded(int ranks) {
  return ranks == 1 && !device::computes_on_gpu() && device::thread_count() == 1;
}

std::string compare_step(double measured, double predicted, const std::string& by) {
  constexpr double microsecond = 1e-6;
  return fmt::format("{:.4g} us, {:.4g} us were predicted by {} ({})", measured / microsecond,
                     predicted / microsecond, by, describe_deviation(measured, predicted));
}

std::string describe_deviation(double measured, double predicted) {
  const double off = 100 * (measured / predicted - 1);
  return fmt::format("{:.0f} % {}", std::abs(off), off < 0 ? "less" : "more");
}

std::string add_to_history(estimate::StepRow row) { return add_row(std::move(row)); }
std::string add_to_history(estimate::WorkRow row) {
  if (row.measured <= 0 && row.steps_measured <= 0) return {};
  return add_row(std::move(row));
}
std::string add_to_history(estimate::SampledRow row) { return add_row(std::move(row)); }
std::string add_to_history(estimate::JobRow row) { return add_row(std::move(row)); }

}  // namespace nfold::setup
