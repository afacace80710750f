// Simulation: reads the input, builds the system, claims the folder and runs a session.
// SPDX-License-Identifier: BSD-3-Clause

#include "run/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "comm/waiting.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/devices_of_job.hpp"
#include "device/host_threads.hpp"
#include "device/memory_plan.hpp"
#include "ensemble/ladder.hpp"
#include "ensemble/session.hpp"
#include "hardware/processor_time.hpp"
#include "input_files/input.hpp"
#include "job/changed_input.hpp"
#include "job/collective_work.hpp"
#include "job/duration.hpp"
#include "job/folder_lock.hpp"
#include "job/rank_files.hpp"
#include "job/running_status.hpp"
#include "job/status_file.hpp"
#include "job/version.hpp"
#include "run/busy_time.hpp"
#include "run/predicted_ensemble.hpp"
#include "run/run_profile.hpp"
#include "run/session.hpp"
#include "setup/checkpoint_header.hpp"
#include "setup/cold_start.hpp"
#include "setup/collective_variables.hpp"
#include "setup/continuation.hpp"
#include "setup/device_setup.hpp"
#include "setup/memory_plan.hpp"
#include "setup/prediction_record.hpp"
#include "setup/sampling_record.hpp"
#include "setup/start_setup.hpp"
#include "setup/system_setup.hpp"
#include "storage/atomic_file.hpp"
#include "storage/posix_file.hpp"

namespace nfold::run {
namespace {

config::Settings read_settings(const comm::Communicator& communicator,
                               const job::RunOptions& options) {
  const std::string text = job::text_from_root(
      communicator, [&options] { return input_files::read_input_text(options.input); });
  return input_files::parse_input(text, options.input.string(), options.overrides);
}

void describe_run(job::RunLog& log, const setup::SystemSetup& system,
                  const config::Settings& settings, const job::RunOptions& options,
                  const comm::Communicator& communicator) {
  log.note(fmt::format("nfold {}: {}, {} residues, {} chain{}, {} rank{}, {}", job::version,
                       options.input.string(), system.topology.residue_count(),
                       system.topology.chains.size(), system.topology.chains.size() == 1 ? "" : "s",
                       communicator.size(), communicator.size() == 1 ? "" : "s",
                       device::execution_space_name()));
  for (const auto& note : system.notes) log.note(note);
  for (const auto& warning : setup::schedule_warnings(settings)) log.note(warning);
  log.detail(topology::count_bonded_terms(system.topology));
  const auto& dynamics = settings.dynamics;
  const std::string kelvin =
      settings.ensemble.is_one() ? "" : fmt::format(" at {} K", dynamics.temperature_kelvin);
  log.detail(fmt::format("{} steps of {} ps{}, seed {}", dynamics.steps, dynamics.time_step_ps,
                         kelvin, dynamics.seed));
}

void describe_transport(job::RunLog& log, const dynamics::EngineStatistics& statistics) {
  if (statistics.transport.empty()) return;
  log.note("border residues travel by " + statistics.transport);
  if (statistics.transport_trial_seconds > 0) {
    log.detail(fmt::format("transports measured in {:.2f} s", statistics.transport_trial_seconds));
  }
}

/// Collective. Plans a large system of many copies from a part of it, which takes less time.
/// Otherwise gathers the whole first state, if `first` is a share of it.
setup::MemoryPlanner plan_memory(const comm::Communicator& communicator,
                                 const config::Settings& settings, const job::RunOptions& options,
                                 const topology::Topology& topology, setup::FirstState& first) {
  if (setup::is_planned_by_part(settings, topology.residue_count())) {
    auto part = setup::build_part(communicator, settings, options.input, setup::part_residues);
    if (part.times > 1) return {settings, options.input, std::move(part)};
  }
  if (first.is_share) {
    first.state = setup::whole_state(communicator, first);
    first.is_share = false;
  }
  return {settings, topology, first.state};
}

/// Returns the time per step; none if too few steps were taken.
std::optional<double> seconds_a_step(const setup::TakenSteps& taken) {
  if (!setup::tells_speed(taken)) return std::nullopt;
  return taken.seconds / static_cast<double>(taken.steps);
}

/// Records the step at which a failure occurred.
template <class AnySession>
job::ExitCode run_and_record(AnySession& session, RunRecord& record) {
  try {
    return session.run();
  } catch (const std::exception&) {
    record.step = session.step();
    throw;
  }
}

}  // namespace

void write_last_words(RunRecord& record, const job::SessionFailure& failure) {
  record.log.error(failure.reason);
  record.log.close_display();
  if (!record.owns_folder) return;
  try {
    job::write_status(record.paths.status(),
                      {job::RunState::failed, record.step, record.steps, failure.reason,
                       failure.exit_code, "", failure.suspect});
  } catch (const std::exception&) {
    // The folder itself may have caused the failure; the message is on standard error in any case.
    record.owns_folder = false;
  }
}

job::ExitCode simulate(const comm::Communicator& communicator, const job::RunOptions& options,
                       std::optional<device::ComputeEnvironment>& compute, RunRecord& record) {
  telemetry::StepClock clock;
  const hardware::OwnTime own;
  RunProfile profile(communicator, options);
  const double time_limit_seconds =
      options.time_limit.empty() ? 0
                                 : job::parse_duration_seconds(options.time_limit, "--time-limit");
  const config::Settings settings = read_settings(communicator, options);
  const auto wish = setup::device_wish(settings.devices, options.gpus);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const setup::SystemSetup system = setup::build_system(communicator, settings, options.input);
  (void)setup::umbrella_variable(settings.ensemble, system.topology);
  const job::OutputPaths& paths = record.paths;
  record.steps = settings.dynamics.steps;

  // The output folder is touched only now that the input is known to be valid.
  std::unique_ptr<job::FolderLock> lock;
  job::on_root(communicator, [&] {
    job::make_output_folder(paths.folder);
    lock = std::make_unique<job::FolderLock>(paths.folder);
  });
  const bool takes_share =
      setup::continues_in_shares(settings, system.topology, communicator.size());
  setup::Continuation continuation =
      setup::continue_or_start(communicator, paths, settings, options,
                               takes_share ? io::CheckpointRows::share : io::CheckpointRows::all);
  const auto& ensemble = settings.ensemble;
  if (continuation.checkpoint) {
    setup::require_same_system(*continuation.checkpoint, system.topology,
                               ensemble.is_one() ? ensemble.replicas() : 1);
  }
  record.owns_folder = true;
  job::on_root(communicator, [&] {
    // The input is written first, because it identifies the other files: a start may be killed
    // between them.
    const auto kept = job::settings_to_keep(settings, options.input, paths, !options.is_of_batch);
    storage::write_file_atomically(paths.input(), input_files::write_input(kept));
    const auto log_file = options.log_file.empty() ? storage::own_file(paths.log())
                                                   : std::filesystem::path(options.log_file);
    record.log = job::RunLog(log_file, options.quiet, options.verbose);
  });

  job::RunningStatus status(paths.status(), settings.dynamics.steps);
  record.is_continued = continuation.checkpoint.has_value();
  record.step = continuation.checkpoint ? continuation.checkpoint->header.step : 0;
  if (communicator.is_root()) status.begin_phase("making the start", record.step);

  std::optional<job::RankFiles> rank_files;
  if (!options.is_of_batch) rank_files.emplace(communicator, paths.with(job::rank_files_suffix));
  device::limit_device_memory(setup::device_memory_limit(options.device_memory, settings));
  if (!options.is_of_batch) device::forget_device_peaks();
  if (!compute) compute.emplace(communicator, options.threads, wish);
  device::set_processes_that_wait(communicator.node_place().size);
  if (!options.is_of_batch) setup::log_devices(record.log, *compute);
  profile.devices_are_known(*compute->devices());
  describe_run(record.log, system, settings, options, communicator);
  for (const auto& note : continuation.notes) record.log.note(note);
  const auto cold = continuation.checkpoint ? "" : setup::cold_start_warning(settings);
  if (!cold.empty()) record.log.note(cold);

  const auto tell_end = [&](const RunProfile::End& end, const setup::NewMaps& new_maps) {
    for (const auto& line : profile.end(end)) record.log.note(line);
    if (options.is_of_batch) return;
    for (const auto& line :
         setup::planned_and_peak(communicator, *compute->devices(), end.planned, new_maps)) {
      record.log.detail(line);
    }
  };

  comm::set_wait_phase("while the start is made", -1);
  if (ensemble.is_one()) {
    ensemble::EnsembleSession session(
        {communicator, compute->devices(), settings, system, options.input, paths,
         continuation.checkpoint ? &*continuation.checkpoint : nullptr, time_limit_seconds,
         options.time_limit, telemetry::steady_seconds(), options.asks_for_more_ranks},
        record.log, clock);
    std::optional<PredictedEnsemble> predicted;
    if (!options.is_of_batch && communicator.is_root()) {
      predicted.emplace(settings, system.topology, paths.name, communicator.size());
    }
    profile.steps_begin(session.step());
    const auto exit_code = run_and_record(session, record);
    record.taken = session.taken();
    const double whole = own.seconds(setup::one_thread_works(communicator.size()));
    const auto planned = session.planned_memory();
    tell_end({settings, paths, session.step(), planned, ensemble.replicas(), nullptr,
              predicted ? predicted->of_step() : std::nullopt, seconds_a_step(record.taken)},
             {});
    if (!predicted) return exit_code;
    const bool is_whole = exit_code == job::ExitCode::done && !record.is_continued;
    for (const auto& line : predicted->end(record.taken, is_whole ? whole : 0)) {
      record.log.detail(line);
    }
    return exit_code;
  }
  setup::FileStart start;
  if (continuation.checkpoint) {
    const auto& header = continuation.checkpoint->header;
    start = {true, header.step, setup::frames_of(header), setup::energy_rows_of(header)};
  }
  const auto now = telemetry::steady_seconds();
  const double begun = now();
  auto first = continuation.checkpoint
                   ? setup::FirstState{std::move(continuation.checkpoint->state), {}, takes_share}
                   : setup::first_places(communicator, settings, options.input, system.topology);
  for (const auto& note : first.notes) record.log.note(note);
  record.step = first.state.step;
  const auto speed = setup::speeds_by_score(communicator, *compute->devices(), settings);
  auto [owner, map_in_words] =
      setup::shared_map(communicator, settings, system.topology, first, speed);
  if (communicator.size() > 1) record.log.note(map_in_words);
  const setup::MemoryPlanner planner =
      plan_memory(communicator, settings, options, system.topology, first);
  const setup::RunMemory memory = planner.on(communicator.size(), owner);
  record.log.detail(setup::memory_in_words(memory));
  for (const auto& line : setup::memory_table(memory, device::MemoryPlan()))
    record.log.detail(line);
  setup::require_memory(communicator, *compute->devices(), memory, planner, settings);
  const int ranks_per_node = communicator.node_place().size;
  std::optional<setup::PredictionRecord> prediction;
  if (communicator.is_root()) {
    prediction.emplace(planner, settings, options.input, communicator.size(), ranks_per_node,
                       record.is_continued);
  }
  setup::give_own_rows(communicator, settings, system.topology, owner, first);
  record.log.detail(setup::told_of_start(communicator, now() - begun));
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
                   time_limit_seconds, options.time_limit, options.asks_for_more_ranks},
                  engine, record.log, clock);
  profile.steps_begin(session.step());
  const hardware::OwnTime of_steps;
  const auto exit_code = run_and_record(session, record);
  const auto time = busy_time(engine);
  record.taken = {
      time.steps,
      std::min(time.seconds, of_steps.seconds(setup::one_thread_works(communicator.size())))};
  std::optional<job::Prediction> predicted;
  if (prediction) {
    if (const auto told = prediction->predicted())
      predicted = {told->seconds, told->spread, told->by};
  }
  std::optional<double> compared;
  if (setup::PredictionRecord::is_enough(time)) {
    compared = time.seconds / static_cast<double>(time.steps);
  }
  tell_end({settings, paths, session.step(), memory.of(communicator.rank()), 0, &engine, predicted,
            compared},
           session.new_maps());
  if (prediction) {
    for (const auto& line : prediction->end(time)) record.log.detail(line);
    for (const auto& line : setup::record_means(settings, session.means())) record.log.detail(line);
  }
  return exit_code;
}

}  // namespace nfold::run
