// Step time estimate at the start, and measured step time at the end.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/estimate_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <utility>

#include "comm/communicator.hpp"
#include "core/host_name.hpp"
#include "core/utc.hpp"
#include "core/version.hpp"
#include "device/device_memory.hpp"
#include "estimate/interval.hpp"
#include "estimate/layouts.hpp"
#include "session/setup/machine_lookup.hpp"
#include "session/setup/step_demand.hpp"

namespace nfold::setup {
namespace {

// Shorter runs mostly measure their start, in which skins are autotuned.
constexpr double min_measured_seconds = 1;
constexpr std::int64_t min_measured_steps = 500;

estimate::StepDemand predicted_demand(const MemoryEstimator& planner,
                                      const input::Settings& settings,
                                      const std::filesystem::path& input_file,
                                      const estimate::Layout& layout, bool is_resumed) {
  const auto demand_of = [&](const MemoryEstimator& one, bool gathers) {
    auto demand = step_demand(one, settings, layout.nodes, layout.ranks_per_node);
    if (gathers) let_chains_gather(demand, settings);
    return demand;
  };
  // A checkpoint is counted as it is; a part is always a new start.
  const bool gathers = !is_resumed;
  if (planner.topology().residue_count() <= predicted_residues) return demand_of(planner, gathers);
  auto part = build_part(comm::Communicator(), settings, input_file, predicted_residues);
  if (!stands_for_whole(part, settings)) return demand_of(planner, gathers);
  return demand_of(MemoryEstimator(settings, input_file, std::move(part)), true);
}

}  // namespace

std::string hashed_name(const std::string& machine, std::span<const double> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const double value : numbers) {
    for (const char c : fmt::format("{:.4g} ", value)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  return fmt::format("{}-{:08x}", machine, hash >> 32U);
}

std::string describe_predictor(const std::string& machine, int earlier_runs) {
  if (earlier_runs == 0) return machine;
  return fmt::format("{} and {} earlier run{}", machine, earlier_runs,
                     earlier_runs == 1 ? "" : "s");
}

std::string history_name(const estimate::Machine& machine, bool on_gpu) {
  return hashed_name(machine.based_on, estimate::fitted_values(machine.step(on_gpu)));
}

std::optional<estimate::LearnedStep> learn_from_history(estimate::Machine& machine, bool on_gpu) {
  const auto file = estimate::history_file();
  if (!file) return std::nullopt;
  estimate::LearnedStep learned(machine.step(on_gpu),
                                estimate::step_rows(*file, history_name(machine, on_gpu), on_gpu));
  machine.step(on_gpu) = learned.coefficients();
  return learned;
}

EstimateRecord::EstimateRecord(const MemoryEstimator& planner, const input::Settings& settings,
                               const std::filesystem::path& input_file, int ranks,
                               int ranks_per_node, bool is_resumed) {
  try {
    auto machine = machine_for("");
    const bool on_gpu = device::computes_on_gpu();
    const estimate::Layout layout{(ranks + ranks_per_node - 1) / ranks_per_node, ranks_per_node,
                                  on_gpu};
    estimate::HistoryRow row;
    row.machine = history_name(machine, on_gpu);
    row.on_gpu = on_gpu;
    row.ranks = ranks;
    row.demand = predicted_demand(planner, settings, input_file, layout, is_resumed);
    row.estimated_seconds = estimate::step_time(machine, layout, row.demand).seconds();
    learned_seconds_ = row.estimated_seconds;
    spread_ = machine.spread(on_gpu, false);
    if (const auto learned = learn_from_history(machine, on_gpu)) {
      const auto correction = learned->correction(row.demand, ranks);
      earlier_runs_ = std::max(correction.runs, learned->fitted_runs());
      if (correction.spread > 0) {
        spread_ = estimate::widened_spread(correction.spread, correction.runs);
      }
      learned_seconds_ =
          correction.factor * estimate::step_time(machine, layout, row.demand).seconds();
    }
    machine_ = machine.based_on;
    row_ = std::move(row);
  } catch (const std::exception& failure) {
    problem_ = failure.what();
  }
}

bool EstimateRecord::is_enough(const engine::BusyTime& time) {
  return time.steps >= min_measured_steps && time.seconds >= min_measured_seconds;
}

std::optional<job::StepTimeEstimate> EstimateRecord::predicted() const {
  if (!row_) return std::nullopt;
  return job::StepTimeEstimate{learned_seconds_, spread_,
                               describe_predictor(machine_, earlier_runs_)};
}

std::string describe_deviation(double measured, double predicted) {
  const double off = 100 * (measured / predicted - 1);
  return fmt::format("{:.0f} % {}", std::abs(off), off < 0 ? "less" : "more");
}

std::vector<std::string> EstimateRecord::end(const engine::BusyTime& time) {
  std::vector<std::string> lines;
  if (!problem_.empty()) lines.push_back("no prediction: " + problem_);
  if (!row_ || !is_enough(time)) return lines;
  row_->measured_seconds = time.seconds / static_cast<double>(time.steps);
  row_->steps = time.steps;
  const double predicted = learned_seconds_;
  constexpr double microsecond = 1e-6;
  lines.push_back(fmt::format("a step took {:.4g} us, {:.4g} us were predicted by {} ({})",
                              row_->measured_seconds / microsecond, predicted / microsecond,
                              describe_predictor(machine_, earlier_runs_),
                              describe_deviation(row_->measured_seconds, predicted)));
  const auto file = estimate::history_file();
  if (!file) return lines;
  try {
    row_->time = core::utc(std::time(nullptr));
    row_->host = core::host_name();
    row_->version = core::version;
    estimate::append(*file, *row_);
  } catch (const std::exception& failure) {
    lines.push_back(fmt::format("not added to the history: {}", failure.what()));
  }
  return lines;
}

}  // namespace nfold::setup
