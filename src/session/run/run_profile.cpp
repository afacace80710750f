// Report of clocks, engine, memory and GPU at the end of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/run_profile.hpp"

#include <utility>

#include "core/telemetry/profiler.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"

namespace nfold::run {

using telemetry::Phase;

telemetry::PhaseSeconds phase_weights(const std::vector<engine::PartTime>& parts,
                                      std::int64_t steps, std::int64_t rebuilds) {
  telemetry::PhaseSeconds weights{};
  const auto add = [&](const char* name, Phase phase, std::int64_t times) {
    for (const auto& part : parts) {
      if (part.name != name) continue;
      weights[to_index(phase)] += part.microseconds * static_cast<double>(times);
    }
  };
  add("forces", Phase::pair, steps);  // pairs and terms, which a GPU computes in one kernel
  add("integrate", Phase::integrate, steps);
  add("exchange", Phase::exchange, steps);
  add("lists", Phase::lists, rebuilds);
  return weights;
}

RunProfile::RunProfile(const comm::Communicator& communicator, const job::RunOptions& options)
    : communicator_(communicator) {
  if (!options.is_in_batch) {
    clocks_.emplace(communicator,
                    options.profile ? job::ProfileDetail::timeline : job::ProfileDetail::sums);
  }
  start_.emplace(Phase::start);
}

void RunProfile::set_devices(const device::JobDevices& devices) {
  if (!clocks_) return;
  clocks_->forward_to_kokkos_tools();
  gpu_ = devices.own_gpu();
  energy_.emplace(gpu_);
  available_memory_bytes_ = device::free_memory(devices).device_bytes;
}

void RunProfile::begin_steps(std::int64_t step) {
  start_.reset();
  first_step_ = step;
}

/// Collective if a timeline is enabled and steps are computed on a GPU.
void RunProfile::add_engine(const End& end, job::Performance& all,
                            job::RankPerformance& mine) const {
  const auto statistics = end.engine->statistics();
  mine.residues = statistics.owned;
  mine.ghosts = statistics.ghosts;
  mine.halo_bytes_of_step = statistics.halo_bytes_of_step;
  mine.lists = statistics.rebuilds;
  const auto& time = statistics.time;
  if (!device::computes_on_gpu() || !clocks_->has_timeline()) return;
  const auto parts = end.engine->part_times();
  for (const auto& part : parts) all.parts.emplace_back(part.name, part.microseconds);
  if (time.timed_steps == 0 || time.seconds <= 0) return;
  const double busy = time.busy_seconds / static_cast<double>(time.timed_steps) *
                      static_cast<double>(time.steps) / time.seconds;
  telemetry::distribute_device_time(mine.seconds,
                                    phase_weights(parts, time.steps, statistics.rebuilds), busy);
}

std::vector<std::string> RunProfile::end(const End& end) {
  if (!clocks_) return {};
  const auto sums = clocks_->stop();
  parts_ = job::job_parts(sums, end.replicas > 0, seconds_before_, end.minimising_seconds);
  job::Performance all;
  all.name = end.paths.name;
  all.execution = device::execution_space_name();
  all.first_step = first_step_;
  all.last_step = end.last_step;
  all.time_step_ps = end.settings.dynamics.time_step_ps;
  all.replicas = end.replicas;
  all.load_balance = end.load_balance;
  all.is_profiled = clocks_->has_timeline();
  all.job_parts = *parts_;
  all.prediction = end.prediction;
  if (end.prediction) all.compared_step_seconds = end.compared_step_seconds;
  auto mine = job::rank_performance(communicator_, sums, {gpu_, energy_->joules()});
  mine.memory_planned_bytes = end.planned.device_bytes();
  mine.memory_there_bytes = available_memory_bytes_;
  if (end.engine != nullptr) add_engine(end, all, mine);
  return job::write_performance(communicator_, *clocks_, mine, std::move(all), end.paths);
}

}  // namespace nfold::run
