// Choice, preparation and measurement of the suite's systems.
// SPDX-License-Identifier: BSD-3-Clause

#include "bench/suite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <span>
#include <utility>

#include "bench/choice.hpp"
#include "bench/table.hpp"
#include "comm/waiting.hpp"
#include "config/keys.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "dynamics/engine.hpp"
#include "forecast/prediction.hpp"
#include "input_files/input.hpp"
#include "job/collective_work.hpp"
#include "job/failure.hpp"
#include "job/host_memory.hpp"
#include "setup/device_setup.hpp"
#include "setup/machine_here.hpp"
#include "setup/system_setup.hpp"
#include "start/initial_state.hpp"
#include "storage/atomic_file.hpp"

namespace nfold::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Downhill, then to the temperature by a strong bath: the weak one of the measurement would take
/// 10^4 steps to give back what the placement's potential energy takes.
void equilibrate(const comm::Communicator& communicator,
                 const std::shared_ptr<device::DevicesOfJob>& devices, config::Settings settings,
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

/// Building is each rank's own work: if one of them fails, all throw what the first of those met.
BuiltSystem built_by_all(const comm::Communicator& communicator, const BenchSystem& system,
                         const config::Settings& settings) {
  BuiltSystem built;
  std::optional<std::string> problem;
  try {
    built = job::with_host_memory("building the system " + system.name,
                                  [&] { return system.build(settings); });
  } catch (const std::exception& failure) {
    problem = failure.what();
  }
  const auto first_failed =
      communicator.min(problem ? communicator.rank() : std::numeric_limits<int>::max());
  if (first_failed == std::numeric_limits<int>::max()) return built;
  throw job::SharedFailure(
      communicator.broadcast(problem.value_or(""), static_cast<int>(first_failed)),
      job::ExitCode::failed);
}

/// A row of a table has no room for more.
std::string on_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Replicas first, first + ranks, ...: each with a velocity of its own.
replicas::ReplicaSet share_of_replicas(const comm::Communicator& communicator,
                                       const BenchSystem& system, const config::Settings& settings,
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

void measure_into(BenchResult& result, const comm::Communicator& communicator,
                  const std::shared_ptr<device::DevicesOfJob>& devices, const BenchSystem& system,
                  const SuiteOptions& options) {
  const auto settings = system.settings(options.overrides);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const auto& dynamics = settings.dynamics;
  result.time_step_ps = dynamics.time_step_ps;
  auto start = Clock::now();
  auto built = built_by_all(communicator, system, settings);
  start::draw_velocities(built.topology, dynamics.temperature_kelvin, dynamics.seed,
                         dynamics.replica, built.start);
  result.chains = static_cast<std::int64_t>(built.topology.chains.size());
  result.build_seconds = seconds_since(start);
  start = Clock::now();
  const auto warm_up = warm_up_of(system, options);
  const plan::Layout layout{1, communicator.size(), device::computes_on_gpu()};
  if (options.predicts) {
    const double seconds =
        system.replicas > 0
            ? forecast::predicted_step_of_replicas(settings, built.topology, system.replicas,
                                                   layout, *options.predicts)
            : forecast::predicted_step(settings, built.topology, built.start, layout,
                                       *options.predicts,
                                       options.timing.seconds * options.timing.repeats);
    result.predicted_steps_per_second = 1 / seconds;
  }
  if (system.replicas > 0) {
    auto replicas = share_of_replicas(communicator, system, settings, built);
    job::on_all(communicator, [&] { replicas.advance(warm_up.settling_steps); });
    result.warm_up_seconds = seconds_since(start);
    result.measurement = measure(communicator, replicas, options.timing);
    return;
  }
  equilibrate(communicator, devices, settings, warm_up, built);
  auto engine =
      setup::make_engine(communicator, devices, settings, built.topology, std::move(built.start));
  settle(communicator, engine, settings, built.topology, warm_up.settling_steps);
  result.warm_up_seconds = seconds_since(start);
  result.measurement = measure(communicator, engine, options.timing);
  if (options.look) options.look(settings, built.topology, engine.shared_state());
}

Capacity capacity_of(const comm::Communicator& communicator, const device::DevicesOfJob& devices) {
  const auto memory = device::free_memory(devices);
  return {memory.on_gpu, communicator.size(), communicator.min(memory.device_bytes),
          communicator.min(memory.host_bytes)};
}

/// Rank 0's side: screen and files.
class SuiteOutput {
 public:
  SuiteOutput(const SuiteOptions& options, BenchReport& report, const EarlierSpeeds& earlier)
      : options_(options),
        report_(report),
        earlier_(options.against.empty() ? nullptr : &earlier) {}

  void begin() {
    write_files();  // an unwritable one is known before the first minute is spent
    std::cout << table_header(report_.context, earlier_) << std::flush;
  }
  void add(const BenchResult& result) {
    std::cout << table_line(report_.context, result, earlier_) << std::flush;
    write_files();
  }
  void end() const { std::cout << left_out_lines(report_.left_out) << std::flush; }

 private:
  void write_files() const {
    if (!options_.json.empty()) storage::write_file_atomically(options_.json, json_text(report_));
    if (!options_.csv.empty()) storage::write_file_atomically(options_.csv, csv_text(report_));
  }
  const SuiteOptions& options_;
  BenchReport& report_;
  const EarlierSpeeds* earlier_;
};

std::vector<BenchSystem> systems_for(const SuiteOptions& options, const Capacity& capacity,
                                     std::vector<LeftOut>& left_out) {
  if (!options.only.empty()) return chosen_systems(options.only);
  std::vector<BenchSystem> systems;
  for (const auto& system : bench_suite()) {
    auto reason = why_left_out(system, capacity);
    if (reason.empty()) {
      systems.push_back(system);
    } else {
      left_out.push_back({system.name, std::move(reason)});
    }
  }
  return systems;
}

BenchContext context_of(const comm::Communicator& communicator, const SuiteOptions& options,
                        const config::Settings& settings) {
  auto context = bench_context(communicator.size());
  context.precision = config::value_text(*config::find_key("dynamics.precision"), settings);
  for (const auto& override_text : options.overrides) {
    context.overrides += (context.overrides.empty() ? "" : " ") + override_text;
  }
  return context;
}

}  // namespace

void tell_warnings(const device::ComputeEnvironment& compute) {
  for (const auto& text : compute.warnings()) std::cerr << "nfold: WARNING: " + text + "\n";
}

BenchResult measure_system(const comm::Communicator& communicator, const BenchSystem& system,
                           const SuiteOptions& options,
                           std::shared_ptr<device::DevicesOfJob> devices) {
  if (!devices) devices = std::make_shared<device::DevicesOfJob>(communicator);
  BenchResult result;
  result.system = system.name;
  result.residues = system.residues;
  result.replicas = system.replicas;
  result.reason = why_impossible(system, capacity_of(communicator, *devices));
  if (!result.reason.empty()) return result;
  try {
    measure_into(result, communicator, devices, system, options);
  } catch (const std::exception& failure) {
    if (communicator.size() > 1 && !job::met_by_all(failure)) throw;
    result.reason = on_one_line(failure.what());
  }
  return result;
}

job::ExitCode run_suite(const comm::Communicator& communicator, const SuiteOptions& asked) {
  auto options = asked;
  if (!options.machine.empty())
    options.predicts = setup::machine_named(communicator, options.machine);
  if (!options.only.empty()) (void)chosen_systems(options.only);
  const std::string earlier_text = job::text_from_root(communicator, [&options] {
    return options.against.empty() ? "" : input_files::read_input_text(options.against);
  });
  const auto earlier =
      options.against.empty() ? EarlierSpeeds() : EarlierSpeeds(earlier_text, options.against);
  const auto checked = bench_suite().front().settings(options.overrides);
  device::limit_device_memory(static_cast<std::int64_t>(options.device_memory));
  const device::ComputeEnvironment compute(communicator, options.threads,
                                           setup::device_wish(checked.devices, options.gpus));
  job::on_root(communicator, [&] { tell_warnings(compute); });
  BenchReport report;
  const auto systems =
      systems_for(options, capacity_of(communicator, *compute.devices()), report.left_out);
  for (const auto& system : systems) (void)system.settings(options.overrides);
  report.context = context_of(communicator, options, checked);
  SuiteOutput output(options, report, earlier);
  job::on_root(communicator, [&output] { output.begin(); });
  bool any_failed = false;
  for (const auto& system : systems) {
    report.results.push_back(measure_system(communicator, system, options, compute.devices()));
    any_failed |= !report.results.back().reason.empty();
    job::on_root(communicator, [&] { output.add(report.results.back()); });
  }
  job::on_root(communicator, [&output] { output.end(); });
  return any_failed ? job::ExitCode::partly_failed : job::ExitCode::done;
}

}  // namespace nfold::bench
