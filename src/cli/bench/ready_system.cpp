// Systems built, warmed up and kept, so that they are timed in turns.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/ready_system.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/choice.hpp"
#include "cli/bench/step_estimate.hpp"
#include "comm/first_reason.hpp"
#include "comm/waiting.hpp"
#include "core/telemetry/step_clock.hpp"
#include "model/start/initial_state.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/host_memory.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::bench {
namespace {

/// Minimises, then thermalises with strong friction: with the weak friction of the measurement, the
/// thermostat would take 10^4 steps to replace the heat that goes into potential energy.
void equilibrate(const comm::Communicator& communicator,
                 const std::shared_ptr<device::JobDevices>& devices, input::Settings settings,
                 const WarmUp& warm_up, BuiltSystem& system) {
  constexpr double strong_friction_per_ps = 1;
  if (warm_up.minimise_steps == 0 && warm_up.thermostat_steps == 0) return;
  settings.start.minimise_steps = warm_up.minimise_steps;
  settings.dynamics.friction_per_ps =
      std::max(settings.dynamics.friction_per_ps, strong_friction_per_ps);
  auto engine =
      setup::make_engine(communicator, devices, settings, system.topology, std::move(system.start));
  (void)setup::minimise_start(engine, settings.start);
  engine.advance(warm_up.thermostat_steps);
  system.start = engine.shared_state();
  system.start.step = 0;
}

WarmUp warm_up_of(const BenchSystem& system, const SuiteOptions& options) {
  WarmUp warm_up = system.warm_up;
  if (!options.warm_up_steps) return warm_up;
  const bool is_placed = warm_up.thermostat_steps > 0;
  warm_up.thermostat_steps = is_placed ? *options.warm_up_steps / 3 : 0;
  warm_up.settling_steps = *options.warm_up_steps - warm_up.thermostat_steps;
  return warm_up;
}

/// Collective. Each rank builds the system; if some fail, all throw the failure of the lowest such
/// rank.
BuiltSystem built_by_all(const comm::Communicator& communicator, const BenchSystem& system,
                         const input::Settings& settings) {
  BuiltSystem built;
  std::optional<core::Failure> mine;
  try {
    built = job::with_host_memory("building the system " + system.name,
                                  [&] { return system.build(settings); });
  } catch (const std::exception& failure) {
    mine.emplace(failure.what());
  }
  if (const auto first = comm::first_failure(communicator, mine)) throw *first;
  return built;
}

/// Returns this rank's replicas: rank, rank + ranks, ...; each with velocities of its own.
replicas::ReplicaSet share_of_replicas(const comm::Communicator& communicator,
                                       const BenchSystem& system, const input::Settings& settings,
                                       const BuiltSystem& built) {
  std::vector<replicas::ReplicaStart> starts;
  for (int k = communicator.rank(); k < system.replicas; k += communicator.size()) {
    replicas::ReplicaStart start{
        static_cast<std::uint32_t>(k), {settings.dynamics.temperature_kelvin}, built.start};
    start::draw_velocities(built.topology, settings.dynamics.temperature_kelvin,
                           settings.dynamics.seed, start.number, start.state);
    starts.push_back(std::move(start));
  }
  return {built.topology, setup::engine_settings(settings), starts};
}

}  // namespace

ReadySystem::ReadySystem(const comm::Communicator& communicator,
                         const std::shared_ptr<device::JobDevices>& devices,
                         const BenchSystem& system, const SuiteOptions& options, BenchResult& about)
    : communicator_(communicator), settings_(system.settings(options.overrides)) {
  comm::set_wait_limit(std::chrono::duration<double>(settings_.partition.wait_limit_seconds));
  const auto impossible = why_impossible(system, free_capacity(communicator, *devices));
  if (!impossible.empty()) {
    throw core::Failure(impossible, core::Outcome::failure, core::Reach::all_ranks);
  }
  const auto& dynamics = settings_.dynamics;
  about.time_step_ps = dynamics.time_step_ps;
  const auto now = telemetry::steady_seconds();
  const double begun = now();
  built_ = built_by_all(communicator, system, settings_);
  start::draw_velocities(built_.topology, dynamics.temperature_kelvin, dynamics.seed,
                         dynamics.replica, built_.start);
  about.chains = static_cast<std::int64_t>(built_.topology.chains.size());
  about.build_seconds = now() - begun;
  if (options.predicts) {
    about.predicted_steps_per_second = predicted_steps_per_second(
        *options.predicts,
        {settings_, built_.topology, built_.start, system.replicas, communicator.size()},
        options.timing.seconds * options.timing.repeats);
  }
  const auto warm_up = warm_up_of(system, options);
  if (system.replicas > 0) {
    replicas_ = share_of_replicas(communicator, system, settings_, built_);
    job::on_all(communicator, [&] { replicas_->advance(warm_up.settling_steps); });
  } else {
    equilibrate(communicator, devices, settings_, warm_up, built_);
    engine_ = setup::make_engine(communicator, devices, settings_, built_.topology,
                                 std::move(built_.start));
    settle(communicator, *engine_, settings_, built_.topology, warm_up.settling_steps);
  }
  about.warm_up_seconds = now() - begun - about.build_seconds;
}

Measurement ReadySystem::time(const Timing& timing) {
  return replicas_ ? measure(communicator_, *replicas_, timing)
                   : measure(communicator_, *engine_, timing);
}

}  // namespace nfold::bench
