// nfold run INPUT.yaml: one simulation on all ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/checkpoint_header.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/continuation.hpp"
#include "cli/duration.hpp"
#include "cli/ensemble_session.hpp"
#include "cli/folder_lock.hpp"
#include "cli/meeting.hpp"
#include "cli/run_log.hpp"
#include "cli/run_options.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "cli/start_setup.hpp"
#include "cli/status_file.hpp"
#include "cli/system_setup.hpp"
#include "cli/version.hpp"
#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "config/input.hpp"
#include "dynamics/device_memory.hpp"
#include "dynamics/engine.hpp"
#include "io/atomic_file.hpp"

namespace nfold::cli {
namespace {

/// What has to be known when a run fails, wherever it fails.
struct RunRecord {
  OutputPaths paths;
  bool owns_folder = false;  ///< another's status must not be overwritten
  std::int64_t step = 0, steps = 0;
  RunLog log;  ///< silent but on rank 0
};

void write_last_words(RunRecord& record, const std::string& reason, ExitCode exit_code) {
  record.log.error(reason);
  record.log.close_display();
  if (!record.owns_folder) return;
  try {
    write_status(record.paths.status(),
                 {RunState::failed, record.step, record.steps, reason, exit_code});
  } catch (const std::exception&) {
    // The folder itself may be what failed; the message is on standard error in any case.
    record.owns_folder = false;
  }
}

config::Settings read_settings(const comm::Communicator& communicator, const RunOptions& options) {
  const std::string text =
      text_from_root(communicator, [&options] { return config::read_input_text(options.input); });
  return config::parse_input(text, options.input.string(), options.overrides);
}

void describe_run(RunLog& log, const SystemSetup& system, const config::Settings& settings,
                  const RunOptions& options, const comm::Communicator& communicator) {
  log.note(fmt::format("nfold {}: {}, {} residues, {} chain{}, {} rank{}, {}", version,
                       options.input.string(), system.topology.residue_count(),
                       system.topology.chains.size(), system.topology.chains.size() == 1 ? "" : "s",
                       communicator.size(), communicator.size() == 1 ? "" : "s",
                       dynamics::execution_space_name()));
  for (const auto& note : system.notes) log.note(note);
  log.detail(fmt::format(
      "{} bonds, {} angles, {} dihedrals, {} contacts", system.topology.bonds.size(),
      system.topology.angles.size(), system.topology.dihedrals.size(),
      system.topology.contacts_12_10.size() + system.topology.contacts_gaussian.size()));
  const auto& dynamics = settings.dynamics;
  const std::string kelvin =
      settings.ensemble.is_one() ? "" : fmt::format(" at {} K", dynamics.temperature_kelvin);
  log.detail(fmt::format("{} steps of {} ps{}, seed {}", dynamics.steps, dynamics.time_step_ps,
                         kelvin, dynamics.seed));
}

void describe_transport(RunLog& log, const dynamics::EngineStatistics& statistics) {
  if (statistics.transport.empty()) return;
  log.note("border residues travel by " + statistics.transport);
  if (statistics.transport_trial_seconds > 0) {
    log.detail(fmt::format("transports measured in {:.2f} s", statistics.transport_trial_seconds));
  }
}

/// The step that a failure leaves behind goes into the record.
template <class AnySession>
ExitCode run_and_record(AnySession& session, RunRecord& record) {
  try {
    return session.run();
  } catch (const std::exception&) {
    record.step = session.step();
    throw;
  }
}

ExitCode simulate(const comm::Communicator& communicator, const RunOptions& options,
                  RunRecord& record) {
  telemetry::StepClock clock;
  const double time_limit_seconds =
      options.time_limit.empty() ? 0 : parse_duration_seconds(options.time_limit, "--time-limit");
  const config::Settings settings = read_settings(communicator, options);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const SystemSetup system = build_system(communicator, settings, options.input);
  const OutputPaths& paths = record.paths;
  record.steps = settings.dynamics.steps;

  // Only now, when the input is known to be good, is the output folder touched.
  std::unique_ptr<FolderLock> lock;
  on_root(communicator, [&] {
    make_output_folder(paths.folder);
    lock = std::make_unique<FolderLock>(paths.folder);
  });
  const Continuation continuation = continue_or_start(communicator, paths, settings, options);
  const auto& ensemble = settings.ensemble;
  if (continuation.checkpoint) {
    require_same_system(*continuation.checkpoint, system.topology,
                        ensemble.is_one() ? ensemble.replicas() : 1);
  }
  record.owns_folder = true;
  on_root(communicator, [&] {
    const auto log_file =
        options.log_file.empty() ? paths.log() : std::filesystem::path(options.log_file);
    record.log = RunLog(log_file, options.quiet, options.verbose);
    io::write_file_atomically(paths.input(), config::write_input(settings));
  });

  dynamics::limit_device_memory(static_cast<std::int64_t>(options.device_memory));
  const dynamics::ComputeEnvironment compute(communicator, options.threads);
  describe_run(record.log, system, settings, options, communicator);
  for (const auto& note : continuation.notes) record.log.note(note);

  comm::set_wait_phase("while the start is made", -1);
  if (ensemble.is_one()) {
    EnsembleSession session({communicator, settings, system.topology, paths,
                             continuation.checkpoint ? &*continuation.checkpoint : nullptr,
                             time_limit_seconds, options.time_limit},
                            record.log, clock);
    return run_and_record(session, record);
  }
  FileStart start;
  if (continuation.checkpoint) {
    const auto& header = continuation.checkpoint->header;
    start = {true, header.step, frames_of(header)};
  }
  const auto first = continuation.checkpoint
                         ? FirstState{continuation.checkpoint->state, {}}
                         : first_state(communicator, settings, options.input, system.topology);
  for (const auto& note : first.notes) record.log.note(note);
  const auto& state = first.state;
  record.step = state.step;
  auto engine = make_engine(communicator, settings, system.topology, state);
  describe_transport(record.log, engine.statistics());
  if (!continuation.checkpoint) {
    // Before the first step, so that the first checkpoint holds what came of it.
    const std::string told = minimise_start(engine, settings.start);
    if (!told.empty()) record.log.note(told);
  }
  Session session({communicator, settings, system.topology, paths, start,
                   continuation.checkpoint ? &continuation.checkpoint->header : nullptr,
                   time_limit_seconds, options.time_limit},
                  engine, record.log, clock);
  return run_and_record(session, record);
}

ExitCode run(Launch& launch, const RunOptions& options) {
  catch_stop_signals();
  io::turn_file_size_signal_into_error();
  const comm::Environment environment(launch.argc, launch.argv);
  const auto world = comm::Communicator::world();
  RunRecord record;
  record.paths = output_paths(options.input, options.output);
  const comm::WaitLastWords when_ranks_stand_still(
      [&](const std::string& reason, std::int64_t step) {
        if (!record.owns_folder) return;
        write_status(record.paths.status(), {RunState::failed, std::max(step, record.step),
                                             record.steps, reason, ExitCode::failed});
      });
  return run_together(
      world, [&] { return simulate(world, options, record); },
      [&](const std::string& reason, ExitCode exit_code) {
        write_last_words(record, reason, exit_code);
      });
}

}  // namespace

void add_run(CLI::App& app, Launch& launch) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand(
      "run", "Simulate INPUT.yaml: one system on all ranks; goes on where it was stopped");
  command->add_option("INPUT", options->input, "Input file (YAML)")->required();
  add_set_option(*command, options->overrides);
  command->add_option("--output", options->output, "Folder for everything written [NAME.out]")
      ->type_name("DIR");
  command->add_flag("--overwrite", options->overwrite, "Replace what an earlier run left there");
  command
      ->add_option("--resume", options->resume,
                   "auto: from the checkpoint there, if any; never; or a checkpoint file")
      ->type_name("auto|never|FILE")
      ->capture_default_str();
  command
      ->add_option("--time-limit", options->time_limit,
                   "Stop in time with a checkpoint and exit code 75: 90s, 30m, 2h, HH:MM:SS")
      ->type_name("TIME");
  command->add_flag("--quiet", options->quiet, "No progress display");
  command->add_flag("-v,--verbose", options->verbose, "More of what is in the log");
  command->add_option("--log-file", options->log_file, "Log file [NAME.log in the output folder]")
      ->type_name("FILE");
  add_threads_option(*command, options->threads);
  add_device_memory_option(*command, options->device_memory);
  command->callback([options, &launch] { launch.exit_code = run(launch, *options); });
}

}  // namespace nfold::cli
