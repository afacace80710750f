// Step time estimate at the start, and measured step time at the end.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/prediction_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <utility>

#include "comm/communicator.hpp"
#include "comm/host_name.hpp"
#include "device/device_memory.hpp"
#include "job/utc.hpp"
#include "job/version.hpp"
#include "plan/interval.hpp"
#include "plan/layouts.hpp"
#include "setup/machine_here.hpp"
#include "setup/step_demand.hpp"

namespace nfold::setup {
namespace {

// Shorter runs mostly measure their start, in which skins are autotuned.
constexpr double least_seconds = 1;
constexpr std::int64_t least_steps = 500;

plan::StepDemand predicted_demand(const MemoryPlanner& planner, const config::Settings& settings,
                                  const std::filesystem::path& input_file,
                                  const plan::Layout& layout, bool is_continued) {
  const auto demand_of = [&](const MemoryPlanner& one, bool gathers) {
    auto demand = step_demand(one, settings, layout.nodes, layout.ranks_per_node);
    if (gathers) let_chains_gather(demand, settings);
    return demand;
  };
  // A checkpoint is counted as it is; a part is always a new start.
  const bool gathers = !is_continued;
  if (planner.topology().residue_count() <= predicted_residues) return demand_of(planner, gathers);
  auto part = build_part(comm::Communicator(), settings, input_file, predicted_residues);
  if (!stands_for_whole(part, settings)) return demand_of(planner, gathers);
  return demand_of(MemoryPlanner(settings, input_file, std::move(part)), true);
}

}  // namespace

std::string name_of_numbers(const std::string& machine, std::span<const double> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const double value : numbers) {
    for (const char c : fmt::format("{:.4g} ", value)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  return fmt::format("{}-{:08x}", machine, hash >> 32U);
}

std::string predictor_in_words(const std::string& machine, int earlier_runs) {
  if (earlier_runs == 0) return machine;
  return fmt::format("{} and {} earlier run{}", machine, earlier_runs,
                     earlier_runs == 1 ? "" : "s");
}

std::string history_name(const plan::Machine& machine, bool on_gpu) {
  return name_of_numbers(machine.based_on, plan::fitted_values(machine.step(on_gpu)));
}

std::optional<plan::LearnedStep> learn_from_history(plan::Machine& machine, bool on_gpu) {
  const auto file = plan::history_file();
  if (!file) return std::nullopt;
  plan::LearnedStep learned(machine.step(on_gpu),
                            plan::rows_of(*file, history_name(machine, on_gpu), on_gpu));
  machine.step(on_gpu) = learned.coefficients();
  return learned;
}

PredictionRecord::PredictionRecord(const MemoryPlanner& planner, const config::Settings& settings,
                                   const std::filesystem::path& input_file, int ranks,
                                   int ranks_per_node, bool is_continued) {
  try {
    auto machine = machine_for("");
    const bool on_gpu = device::computes_on_gpu();
    const plan::Layout layout{(ranks + ranks_per_node - 1) / ranks_per_node, ranks_per_node,
                              on_gpu};
    plan::HistoryRow row;
    row.machine = history_name(machine, on_gpu);
    row.on_gpu = on_gpu;
    row.ranks = ranks;
    row.demand = predicted_demand(planner, settings, input_file, layout, is_continued);
    row.predicted_seconds = plan::step_time(machine, layout, row.demand).seconds();
    learned_seconds_ = row.predicted_seconds;
    spread_ = machine.spread(on_gpu, false);
    if (const auto learned = learn_from_history(machine, on_gpu)) {
      const auto correction = learned->correction(row.demand, ranks);
      earlier_runs_ = std::max(correction.runs, learned->fitted_runs());
      if (correction.spread > 0) {
        spread_ = plan::spread_of_next(correction.spread, correction.runs);
      }
      learned_seconds_ = correction.factor * plan::step_time(machine, layout, row.demand).seconds();
    }
    machine_ = machine.based_on;
    row_ = std::move(row);
  } catch (const std::exception& failure) {
    problem_ = failure.what();
  }
}

bool PredictionRecord::is_enough(const dynamics::BusyTime& time) {
  return time.steps >= least_steps && time.seconds >= least_seconds;
}

std::optional<PredictedStep> PredictionRecord::predicted() const {
  if (!row_) return std::nullopt;
  return PredictedStep{learned_seconds_, spread_, predictor_in_words(machine_, earlier_runs_)};
}

std::string off_in_words(double measured, double predicted) {
  const double off = 100 * (measured / predicted - 1);
  return fmt::format("{:.0f} % {}", std::abs(off), off < 0 ? "less" : "more");
}

std::vector<std::string> PredictionRecord::end(const dynamics::BusyTime& time) {
  std::vector<std::string> lines;
  if (!problem_.empty()) lines.push_back("no prediction: " + problem_);
  if (!row_ || !is_enough(time)) return lines;
  row_->measured_seconds = time.seconds / static_cast<double>(time.steps);
  row_->steps = time.steps;
  const double predicted = learned_seconds_;
  constexpr double microsecond = 1e-6;
  lines.push_back(fmt::format("a step took {:.4g} us, {:.4g} us were predicted by {} ({})",
                              row_->measured_seconds / microsecond, predicted / microsecond,
                              predictor_in_words(machine_, earlier_runs_),
                              off_in_words(row_->measured_seconds, predicted)));
  const auto file = plan::history_file();
  if (!file) return lines;
  try {
    row_->time = job::utc(std::time(nullptr));
    row_->host = comm::host_name();
    row_->version = job::version;
    plan::append(*file, *row_);
  } catch (const std::exception& failure) {
    lines.push_back(fmt::format("not added to the history: {}", failure.what()));
  }
  return lines;
}

}  // namespace nfold::setup
