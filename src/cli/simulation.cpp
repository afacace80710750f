// Reads the input, builds the system, claims the folder, makes a session and runs it.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/simulation.hpp"

#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "cli/checkpoint_header.hpp"
#include "cli/cold_start.hpp"
#include "cli/continuation.hpp"
#include "cli/duration.hpp"
#include "cli/ensemble_ladder.hpp"
#include "cli/ensemble_session.hpp"
#include "cli/folder_lock.hpp"
#include "cli/meeting.hpp"
#include "cli/session.hpp"
#include "cli/start_setup.hpp"
#include "cli/status_file.hpp"
#include "cli/system_setup.hpp"
#include "cli/version.hpp"
#include "comm/waiting.hpp"
#include "config/input.hpp"
#include "dynamics/device_memory.hpp"
#include "dynamics/devices_of_job.hpp"
#include "dynamics/host_threads.hpp"
#include "io/atomic_file.hpp"

namespace nfold::cli {
namespace {

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
  log.detail(fmt::format("{} bonds, {} angles, {} dihedrals, {} contacts",
                         system.topology.bonds.size(), system.topology.angles.size(),
                         system.topology.dihedrals.size(), system.topology.contact_count()));
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

}  // namespace

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

ExitCode simulate(const comm::Communicator& communicator, const RunOptions& options,
                  std::optional<dynamics::ComputeEnvironment>& compute, RunRecord& record) {
  telemetry::StepClock clock;
  const double time_limit_seconds =
      options.time_limit.empty() ? 0 : parse_duration_seconds(options.time_limit, "--time-limit");
  const config::Settings settings = read_settings(communicator, options);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const SystemSetup system = build_system(communicator, settings, options.input);
  (void)umbrella_pair(settings.ensemble, system.topology);
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
  if (!compute) compute.emplace(communicator, options.threads);
  const int processes = communicator.node_place().size;
  dynamics::set_processes_that_wait(processes);
  const auto binding = options.is_of_batch ? "" : dynamics::binding_note(processes);
  if (!binding.empty()) record.log.note(binding);
  const auto sharing = options.is_of_batch ? "" : compute->devices()->note();
  if (!sharing.empty()) record.log.note(sharing);
  describe_run(record.log, system, settings, options, communicator);
  for (const auto& note : continuation.notes) record.log.note(note);
  const auto cold = continuation.checkpoint ? "" : cold_start_warning(settings);
  if (!cold.empty()) record.log.note(cold);

  comm::set_wait_phase("while the start is made", -1);
  if (ensemble.is_one()) {
    EnsembleSession session({communicator, compute->devices(), settings, system, options.input,
                             paths, continuation.checkpoint ? &*continuation.checkpoint : nullptr,
                             time_limit_seconds, options.time_limit},
                            record.log, clock);
    return run_and_record(session, record);
  }
  FileStart start;
  if (continuation.checkpoint) {
    const auto& header = continuation.checkpoint->header;
    start = {true, header.step, frames_of(header), energy_rows_of(header)};
  }
  const auto first = continuation.checkpoint
                         ? FirstState{continuation.checkpoint->state, {}}
                         : first_state(communicator, settings, options.input, system.topology);
  for (const auto& note : first.notes) record.log.note(note);
  const auto& state = first.state;
  record.step = state.step;
  auto engine = make_engine(communicator, compute->devices(), settings, system.topology, state);
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

}  // namespace nfold::cli
