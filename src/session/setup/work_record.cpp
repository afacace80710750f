// Estimates from the curves of plan, and measured times at the end.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/work_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>
#include <variant>
#include <vector>

#include "core/host_name.hpp"
#include "core/utc.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "estimate/history.hpp"
#include "session/setup/estimate_record.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::setup {
namespace {

/// Returns all numbers in the curves and costs of a backend.
std::vector<double> numbers_of(const estimate::Machine& machine, estimate::Backend space) {
  const auto& speeds =
      space == estimate::Backend::gpu ? machine.speeds.gpu : machine.speeds.cpu_core;
  std::vector<double> numbers{machine.speeds.terms_per_residue};
  for (const auto* curve :
       {&speeds.resident, &speeds.resident_chains, &speeds.go, &speeds.condensate}) {
    numbers.push_back(curve->most_steps_per_second);
    numbers.push_back(curve->group);
    numbers.push_back(curve->repulsion_nm);
    for (const auto& point : curve->points) {
      numbers.insert(numbers.end(), {point.residues, point.replicas, point.steps_per_second});
    }
  }
  for (const auto& key : estimate::part_keys()) {
    numbers.push_back(std::get<double>(key.field.get(speeds.part)));
  }
  return numbers;
}

}  // namespace

std::string work_history_name(const estimate::Machine& machine, estimate::Backend space) {
  return hashed_name(machine.based_on, numbers_of(machine, space));
}

estimate::LearnedWork learn_work_from_history(const estimate::Machine& machine,
                                              estimate::Backend space) {
  const auto file = estimate::history_file();
  if (!file) return {};
  return estimate::LearnedWork(
      estimate::work_rows(*file, work_history_name(machine, space), space));
}

WorkEstimator::WorkEstimator(const std::string& wish, estimate::Backend space)
    : machine_(machine_for(wish)),
      space_(space),
      learned_(learn_work_from_history(machine_, space)) {}

WorkEstimate WorkEstimator::of(const estimate::TargetWork& work, const estimate::JobRanks& job,
                               int ranks) const {
  WorkEstimate prediction;
  prediction.by_entry = estimate::work_seconds(work, machine_.speeds, job, space_, ranks);
  const auto learned = learned_.learned(prediction.by_entry, work, space_, ranks);
  prediction.seconds = learned.seconds;
  prediction.spread =
      learned.spread > 0 ? learned.spread : machine_.spread(space_ == estimate::Backend::gpu, true);
  prediction.by = describe_predictor(machine_.based_on, learned.runs);
  return prediction;
}

estimate::WorkRow WorkEstimator::row_of(const estimate::TargetWork& work,
                                        const estimate::JobRanks& job, int ranks) const {
  estimate::WorkRow row;
  row.machine = work_history_name(machine_, space_);
  row.space = space_;
  row.ranks = ranks;
  const int all = job.of(estimate::Backend::cpu);
  row.threads =
      space_ == estimate::Backend::gpu ? 1 : std::max(1, job.cpu_threads / std::max(1, all));
  row.curve = estimate::to_step_curve(work, space_);
  row.residues = static_cast<double>(work.residues);
  for (const auto& part : work.parts) {
    row.replicas = std::max(row.replicas, static_cast<double>(part.replicas));
  }
  row.predicted = estimate::work_seconds(work, machine_.speeds, job, space_, ranks);
  return row;
}

bool is_single_threaded(int ranks) {
  return ranks == 1 && !device::computes_on_gpu() && device::thread_count() == 1;
}

bool measures_speed(const TimedSteps& taken) {
  // Replicas have no skins to be autotuned: their speed is constant from the first step.
  constexpr double least_seconds = 0.2;
  constexpr std::int64_t least_steps = 500;
  return taken.seconds >= least_seconds && taken.steps >= least_steps;
}

std::string record(estimate::WorkRow row) {
  const auto file = estimate::history_file();
  if (!file || (row.measured <= 0 && row.steps_measured <= 0)) return {};
  try {
    row.time = core::utc(std::time(nullptr));
    row.host = core::host_name();
    row.version = core::version;
    estimate::append(*file, row);
  } catch (const std::exception& failure) {
    return fmt::format("not added to the history: {}", failure.what());
  }
  return {};
}

}  // namespace nfold::setup
