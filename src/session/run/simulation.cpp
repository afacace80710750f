// Simulation: reads the input, builds the system, claims the folder and runs a session.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "comm/waiting.hpp"
#include "core/duration.hpp"
#include "core/status/running_status.hpp"
#include "core/status/status_file.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/posix_file.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/processor_time.hpp"
#include "device/host_threads.hpp"
#include "device/job_devices.hpp"
#include "device/memory_plan.hpp"
#include "input/input.hpp"
#include "session/ensemble/ladder.hpp"
#include "session/ensemble/session.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/folder_lock.hpp"
#include "session/job/rank_files.hpp"
#include "session/run/busy_time.hpp"
#include "session/run/ensemble_estimate.hpp"
#include "session/run/run_profile.hpp"
#include "session/run/session.hpp"
#include "session/setup/checkpoint_header.hpp"
#include "session/setup/cold_start.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/continuation.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/estimate_record.hpp"
#include "session/setup/memory_plan.hpp"
#include "session/setup/sampling_record.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::run {
namespace {

input::Settings read_settings(const comm::Communicator& communicator,
                              const job::RunOptions& options) {
  const std::string text = job::text_from_root(
      communicator, [&options] { return input::read_input_text(options.input); });
  return input::parse_input(text, options.input.string(), options.overrides);
}

void describe_run(job::RunLog& log, const setup::SystemSetup& system,
                  const input::Settings& settings, const job::RunOptions& options,
                  const comm::Communicator& communicator) {
  log.note(fmt::format("nfold {}: {}, {} residues, {} chain{}, {} rank{}, {}", core::version,
                       options.input.string(), system.topology.residue_count(),
                       system.topology.chains.size(), system.topology.chains.size() == 1 ? "" : "s",
                       communicator.size(), communicator.size() == 1 ? "" : "s",
                       device::execution_space_name()));
  for (const auto& note : system.notes) log.note(note);
  for (const auto& warning : setup::schedule_warnings(settings)) log.note(warning);
  log.detail(topology::count_bonded_terms(system.topology));
  const auto& dynamics = settings.dynamics;
  const std::string kelvin =
      settings.ensemble.is_enabled() ? "" : fmt::format(" at {} K", dynamics.temperature_kelvin);
  log.detail(fmt::format("{} steps of {} ps{}, seed {}", dynamics.steps, dynamics.time_step_ps,
                         kelvin, dynamics.seed));
}

void describe_transport(job::RunLog& log, const engine::EngineStatistics& statistics) {
  if (statistics.transport.empty()) return;
  log.note("border residues travel by " + statistics.transport);
  if (statistics.transport_trial_seconds > 0) {
    log.detail(fmt::format("transports measured in {:.2f} s", statistics.transport_trial_seconds));
  }
}

/// Collective. Plans a large system of many copies from a part of it, which takes less time.
/// Otherwise gathers the whole first state, if `first` is a share of it.
setup::MemoryPlanner plan_memory(const comm::Communicator& communicator,
                                 const input::Settings& settings, const job::RunOptions& options,
                                 const topology::Topology& topology, setup::FirstState& first) {
  if (setup::is_planned_by_part(settings, topology.residue_count())) {
    auto part = setup::build_part(communicator, settings, options.input, setup::part_residues);
    if (part.times > 1) return {settings, options.input, std::move(part)};
  }
  if (first.is_share) {
    first.state = setup::gather_first_state(communicator, first);
    first.is_share = false;
  }
  return {settings, topology, first.state};
}

/// Returns the time per step; none if too few steps were taken.
std::optional<double> measured_step_seconds(const setup::TimedSteps& taken) {
  if (!setup::measures_speed(taken)) return std::nullopt;
  return taken.seconds / static_cast<double>(taken.steps);
}

/// Records the step at which a failure occurred.
template <class AnySession>
core::ExitCode run_and_record(AnySession& session, RunRecord& record) {
  try {
    return session.run();
  } catch (const std::exception&) {
    record.step = session.step();
    throw;
  }
}

}  // namespace

void write_failure(RunRecord& record, const job::SessionFailure& failure) {
  record.log.error(failure.reason);
  record.log.close_display();
  if (!record.owns_folder) return;
  try {
    status::write_status(record.paths.status(),
                         {status::RunState::failed, record.step, record.steps, failure.reason,
                          failure.exit_code, "", failure.suspect});
  } catch (const std::exception&) {
    // The folder itself may have caused the failure; the message is on standard error in any case.
    record.owns_folder = false;
  }
}

core::ExitCode simulate(const comm::Communicator& communicator, const job::RunOptions& options,
                        std::optional<device::ComputeEnvironment>& compute, RunRecord& record) {
  telemetry::StepClock clock;
  const hardware::ProcessTimer own;
  RunProfile profile(communicator, options);
  const double time_limit_seconds =
      options.time_limit.empty() ? 0
                                 : core::parse_duration_seconds(options.time_limit, "--time-limit");
  const input::Settings settings = read_settings(communicator, options);
  const auto wish = setup::to_device_request(settings.devices, options.gpus);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const setup::SystemSetup system = setup::build_system(communicator, settings, options.input);
  (void)setup::umbrella_variable(settings.ensemble, system.topology);
  const status::OutputPaths& paths = record.paths;
  record.steps = settings.dynamics.steps;

  // The output folder is touched only now that the input is known to be valid.
  std::unique_ptr<job::FolderLock> lock;
  job::on_root(communicator, [&] {
    job::make_output_folder(paths.folder);
    lock = std::make_unique<job::FolderLock>(paths.folder);
  });
  const bool takes_share = setup::resumes_in_shares(settings, system.topology, communicator.size());
  setup::Continuation continuation =
      setup::start_or_resume(communicator, paths, settings, options,
                             takes_share ? io::CheckpointRows::share : io::CheckpointRows::all);
  const auto& ensemble = settings.ensemble;
  if (continuation.checkpoint) {
    setup::require_same_system(*continuation.checkpoint, system.topology,
                               ensemble.is_enabled() ? ensemble.replicas() : 1);
  }
  record.owns_folder = true;
  job::on_root(communicator, [&] {
    // The input is written first, because it identifies the other files: a start may be killed
    // between them.
    const auto kept = job::to_stored_settings(settings, options.input, paths, !options.is_in_batch);
    storage::write_file_atomically(paths.input(), input::write_input(kept));
    const auto log_file = options.log_file.empty() ? storage::require_regular_file(paths.log())
                                                   : std::filesystem::path(options.log_file);
    record.log = job::RunLog(log_file, options.quiet, options.verbose);
  });

  status::RunningStatus status(paths.status(), settings.dynamics.steps);
  record.is_resumed = continuation.checkpoint.has_value();
  record.step = continuation.checkpoint ? continuation.checkpoint->header.step : 0;
  if (communicator.is_root()) status.begin_phase("making the start", record.step);

  std::optional<job::RankFiles> rank_files;
  if (!options.is_in_batch) rank_files.emplace(communicator, paths.with(status::rank_files_suffix));
  device::limit_device_memory(setup::device_memory_limit(options.device_memory, settings));
  if (!options.is_in_batch) device::forget_device_peaks();
  if (!compute) compute.emplace(communicator, options.threads, wish);
  device::set_waiting_processes(communicator.node_place().size);
  if (!options.is_in_batch) setup::log_devices(record.log, *compute);
  profile.set_devices(*compute->devices());
  describe_run(record.log, system, settings, options, communicator);
  for (const auto& note : continuation.notes) record.log.note(note);
  const auto cold = continuation.checkpoint ? "" : setup::cold_start_warning(settings);
  if (!cold.empty()) record.log.note(cold);

  const auto report_end = [&](const RunProfile::End& end,
                              const setup::RepartitionHistory& new_maps) {
    for (const auto& line : profile.end(end)) record.log.note(line);
    if (options.is_in_batch) return;
    for (const auto& line :
         setup::describe_peak_memory(communicator, *compute->devices(), end.planned, new_maps)) {
      record.log.detail(line);
    }
  };

  comm::set_wait_phase("while the start is made", -1);
  if (ensemble.is_enabled()) {
    ensemble::EnsembleSession session(
        {communicator, compute->devices(), settings, system, options.input, paths,
         continuation.checkpoint ? &*continuation.checkpoint : nullptr, time_limit_seconds,
         options.time_limit, telemetry::steady_seconds(), options.join_query},
        record.log, clock);
    std::optional<EnsembleEstimate> predicted;
    if (!options.is_in_batch && communicator.is_root()) {
      predicted.emplace(settings, system.topology, paths.name, communicator.size());
    }
    profile.begin_steps(session.step());
    const auto exit_code = run_and_record(session, record);
    record.taken = session.taken();
    const double whole = own.seconds(setup::is_single_threaded(communicator.size()));
    const auto planned = session.planned_memory();
    report_end({settings, paths, session.step(), planned, ensemble.replicas(), nullptr,
                predicted ? predicted->step_estimate() : std::nullopt,
                measured_step_seconds(record.taken)},
               {});
    if (!predicted) return exit_code;
    const bool is_whole = exit_code == core::ExitCode::done && !record.is_resumed;
    for (const auto& line : predicted->end(record.taken, is_whole ? whole : 0)) {
      record.log.detail(line);
    }
    return exit_code;
  }
  setup::FileStart start;
  if (continuation.checkpoint) {
    const auto& header = continuation.checkpoint->header;
    start = {true, header.step, setup::written_frames(header), setup::written_energy_rows(header)};
  }
  const auto now = telemetry::steady_seconds();
  const double begun = now();
  auto first = continuation.checkpoint
                   ? setup::FirstState{std::move(continuation.checkpoint->state), {}, takes_share}
                   : setup::first_positions(communicator, settings, options.input, system.topology);
  for (const auto& note : first.notes) record.log.note(note);
  record.step = first.state.step;
  const auto speed = setup::speeds_by_score(communicator, *compute->devices(), settings);
  auto [owner, partition_message] =
      setup::make_shared_partition(communicator, settings, system.topology, first, speed);
  if (communicator.size() > 1) record.log.note(partition_message);
  const setup::MemoryPlanner planner =
      plan_memory(communicator, settings, options, system.topology, first);
  const setup::RunMemory memory = planner.on(communicator.size(), owner);
  record.log.detail(setup::memory_message(memory));
  for (const auto& line : setup::memory_table(memory, device::MemoryPlan()))
    record.log.detail(line);
  setup::require_memory(communicator, *compute->devices(), memory, planner, settings);
  const int ranks_per_node = communicator.node_place().size;
  std::optional<setup::EstimateRecord> prediction;
  if (communicator.is_root()) {
    prediction.emplace(planner, settings, options.input, communicator.size(), ranks_per_node,
                       record.is_resumed);
  }
  setup::keep_own_rows(communicator, settings, system.topology, owner, first);
  record.log.detail(setup::start_message(communicator, now() - begun));
  auto engine = setup::make_engine(communicator, compute->devices(), settings, system.topology,
                                   std::move(first.state), std::move(owner));
  describe_transport(record.log, engine.statistics());
  if (!continuation.checkpoint) {
    // Minimisation precedes the first step, so that the first checkpoint includes it.
    const std::string told = setup::minimise_start(engine, settings.start);
    if (!told.empty()) record.log.note(told);
  }
  Session session({communicator, settings, system.topology, compute->devices()->own_gpu(), speed,
                   compute->devices(), paths, start,
                   continuation.checkpoint ? &continuation.checkpoint->header : nullptr,
                   time_limit_seconds, options.time_limit, options.join_query},
                  engine, record.log, clock);
  profile.begin_steps(session.step());
  const hardware::ProcessTimer of_steps;
  const auto exit_code = run_and_record(session, record);
  const auto time = busy_time(engine);
  record.taken = {
      time.steps,
      std::min(time.seconds, of_steps.seconds(setup::is_single_threaded(communicator.size())))};
  std::optional<job::StepEstimate> predicted;
  if (prediction) {
    if (const auto told = prediction->predicted())
      predicted = {told->seconds, told->spread, told->by};
  }
  std::optional<double> compared;
  if (setup::EstimateRecord::is_enough(time)) {
    compared = time.seconds / static_cast<double>(time.steps);
  }
  report_end({settings, paths, session.step(), memory.of(communicator.rank()), 0, &engine,
              predicted, compared},
             session.new_maps());
  if (prediction) {
    for (const auto& line : prediction->end(time)) record.log.detail(line);
    for (const auto& line : setup::record_means(settings, session.means())) record.log.detail(line);
  }
  return exit_code;
}

}  // namespace nfold::run
