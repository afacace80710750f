// Estimates from the curves of plan, and measured times at the end.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/work_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

#include "comm/host_name.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "job/utc.hpp"
#include "job/version.hpp"
#include "plan/history.hpp"
#include "setup/machine_here.hpp"
#include "setup/prediction_record.hpp"

namespace nfold::setup {
namespace {

/// Returns all numbers in the curves and costs of a backend.
std::vector<double> numbers_of(const plan::Machine& machine, plan::Space space) {
  const auto& speeds = space == plan::Space::gpu ? machine.speeds.gpu : machine.speeds.cpu_core;
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
  for (const auto& cost : plan::part_costs) numbers.push_back(speeds.part.*cost.value);
  return numbers;
}

}  // namespace

std::string works_name(const plan::Machine& machine, plan::Space space) {
  return name_of_numbers(machine.based_on, numbers_of(machine, space));
}

plan::LearnedWork learn_works_from_history(const plan::Machine& machine, plan::Space space) {
  const auto file = plan::history_file();
  if (!file) return {};
  return plan::LearnedWork(plan::work_rows(*file, works_name(machine, space), space));
}

WorkPredictor::WorkPredictor(const std::string& wish, plan::Space space)
    : machine_(machine_for(wish)),
      space_(space),
      learned_(learn_works_from_history(machine_, space)) {}

WorkPrediction WorkPredictor::of(const plan::TargetWork& work, const plan::JobRanks& job,
                                 int ranks) const {
  WorkPrediction prediction;
  prediction.by_entry = plan::work_seconds(work, machine_.speeds, job, space_, ranks);
  const auto learned = learned_.learned(prediction.by_entry, work, space_, ranks);
  prediction.seconds = learned.seconds;
  prediction.spread =
      learned.spread > 0 ? learned.spread : machine_.spread(space_ == plan::Space::gpu, true);
  prediction.by = predictor_in_words(machine_.based_on, learned.runs);
  return prediction;
}

plan::WorkRow WorkPredictor::row_of(const plan::TargetWork& work, const plan::JobRanks& job,
                                    int ranks) const {
  plan::WorkRow row;
  row.machine = works_name(machine_, space_);
  row.space = space_;
  row.ranks = ranks;
  const int all = job.of(plan::Space::cpu);
  row.threads = space_ == plan::Space::gpu ? 1 : std::max(1, job.cpu_threads / std::max(1, all));
  row.curve = plan::step_curve_of(work, space_);
  row.residues = static_cast<double>(work.residues);
  for (const auto& part : work.parts) {
    row.replicas = std::max(row.replicas, static_cast<double>(part.replicas));
  }
  row.predicted = plan::work_seconds(work, machine_.speeds, job, space_, ranks);
  return row;
}

bool one_thread_works(int ranks) {
  return ranks == 1 && !device::computes_on_gpu() && device::thread_count() == 1;
}

bool tells_speed(const TakenSteps& taken) {
  // Replicas have no skins to be autotuned: their speed is constant from the first step.
  constexpr double least_seconds = 0.2;
  constexpr std::int64_t least_steps = 500;
  return taken.seconds >= least_seconds && taken.steps >= least_steps;
}

std::string record(plan::WorkRow row) {
  const auto file = plan::history_file();
  if (!file || (row.measured <= 0 && row.steps_measured <= 0)) return {};
  try {
    row.time = job::utc(std::time(nullptr));
    row.host = comm::host_name();
    row.version = job::version;
    plan::append(*file, row);
  } catch (const std::exception& failure) {
    return fmt::format("not added to the history: {}", failure.what());
  }
  return {};
}

}  // namespace nfold::setup
