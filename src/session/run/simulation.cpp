// Simulation: reads the input, builds the system, claims the folder and runs a session.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "comm/waiting.hpp"
#include "core/duration.hpp"
#include "core/status/running_status.hpp"
#include "core/status/status_file.hpp"
#include "core/storage/atomic_file.hpp"
#include "core/storage/posix_file.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/processor_time.hpp"
#include "device/host_threads.hpp"
#include "device/job_devices.hpp"
#include "device/memory_estimate.hpp"
#include "input/input.hpp"
#include "session/ensemble/session.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/folder_lock.hpp"
#include "session/job/rank_files.hpp"
#include "session/run/busy_time.hpp"
#include "session/run/ensemble_estimate.hpp"
#include "session/run/run_profile.hpp"
#include "session/run/session.hpp"
#include "session/setup/cold_start.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/continuation.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/estimate_record.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/memory_placement.hpp"
#include "session/setup/sampling_record.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::run {
namespace {

input::Settings read_settings(const comm::Communicator& communicator,
                              const job::RunOptions& options) {
  const std::string text = job::text_from_root(communicator, [&options] {
    return options.input_text ? *options.input_text : input::read_input_text(options.input);
  });
  return input::parse_input(text, options.input.string(), options.overrides);
}

void describe_run(job::RunLog& log, const setup::SystemSetup& system,
                  const input::Settings& settings, const job::RunOptions& options,
                  const comm::Communicator& communicator) {
  log.note(fmt::format(
      "nfold {}: {}, {} residues, {}, {}, {}", core::version, options.input.string(),
      system.topology.residue_count(), core::pluralise(system.topology.chains.size(), "chain"),
      core::pluralise(communicator.size(), "rank"), device::execution_space_name()));
  for (const auto& note : system.notes) log.note(note);
  for (const auto& warning : setup::schedule_warnings(settings)) log.note(warning);
  log.detail(topology::describe_bonded_terms(system.topology));
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

/// Returns the time per step; none if too few steps were taken.
std::optional<double> measured_step_seconds(const setup::TimedSteps& taken) {
  if (!setup::measures_speed(taken)) return std::nullopt;
  return taken.seconds / static_cast<double>(taken.steps);
}

/// Collective. Builds the system, waiting for other ranks no longer than the input permits.
setup::SystemSetup build_system(const comm::Communicator& communicator,
                                const input::Settings& settings, const job::RunOptions& options) {
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  return setup::build_system(communicator, settings, options.input);
}

}  // namespace

/// Stages in their order.
class Simulation::Stages {
 public:
  Stages(const comm::Communicator& communicator, const job::RunOptions& options,
         std::optional<device::ComputeEnvironment>& compute, RunRecord& record)
      : communicator_(communicator),
        options_(options),
        compute_(compute),
        record_(record),
        profile_(communicator, options),
        time_limit_seconds_(options.time_limit.empty()
                                ? 0
                                : core::parse_duration_seconds(options.time_limit, "--time-limit")),
        settings_(read_settings(communicator, options)),
        device_request_(setup::to_device_request(settings_.devices, options.gpus)),
        system_(build_system(communicator, settings_, options)) {
    (void)setup::umbrella_variable(settings_.ensemble, system_.topology);
    record_.steps = settings_.dynamics.steps;
  }

  void begin() {
    claim_folder();
    write_input();
    begin_status();
    find_devices();
    describe();
    comm::set_wait_phase("while the start is made", -1);
    if (settings_.ensemble.is_enabled()) {
      make_ensemble();
    } else {
      make_run();
    }
    profile_.begin_steps(session_->step());
    do_stage([this] { session_->begin(); });
  }

  std::string advance_until(std::int64_t step) {
    std::string stop_reason;
    do_stage([&] { stop_reason = session_->advance_until(step); });
    return stop_reason;
  }

  core::ExitCode end(const std::string& stop_reason) {
    auto exit_code = core::ExitCode::done;
    do_stage([&] { exit_code = session_->end(stop_reason); });
    if (run_ != nullptr) {
      report_run(exit_code);
    } else {
      report_ensemble(exit_code);
    }
    return exit_code;
  }

  void write_checkpoint(const std::filesystem::path& path) {
    do_stage([&] { session_->write_checkpoint(path); });
  }

  [[nodiscard]] const input::Settings& settings() const { return settings_; }
  [[nodiscard]] const topology::Topology& topology() const { return system_.topology; }
  [[nodiscard]] std::int64_t step() const { return session_->step(); }
  [[nodiscard]] engine::Engine* engine() { return engine_ ? &*engine_ : nullptr; }

 private:
  /// Locks the output folder and reads the checkpoint to resume, if any.
  void claim_folder() {
    job::on_root(communicator_, [&] {
      job::make_output_folder(record_.paths.folder);
      lock_ = std::make_unique<job::FolderLock>(record_.paths.folder);
    });
    takes_share_ = setup::resumes_in_shares(settings_, system_.topology, communicator_.size());
    continuation_ =
        setup::start_or_resume(communicator_, record_.paths, settings_, options_,
                               takes_share_ ? io::CheckpointRows::share : io::CheckpointRows::all);
    const auto* checkpoint = resumed_checkpoint();
    record_.is_resumed = checkpoint != nullptr;
    if (checkpoint) {
      const auto& ensemble = settings_.ensemble;
      setup::require_same_system(*checkpoint, system_.topology,
                                 ensemble.is_enabled() ? ensemble.replicas() : 1);
    }
    record_.owns_folder = true;
  }

  /// Writes the input before the log, because it identifies the other files: a start may be killed
  /// between them.
  void write_input() {
    job::on_root(communicator_, [&] {
      const auto kept =
          job::to_stored_settings(settings_, options_.input, record_.paths, !options_.is_in_batch);
      storage::write_file_atomically(record_.paths.input(), input::write_input(kept));
      if (!system_.confidence.empty()) {
        storage::write_file_atomically(record_.paths.confidence(),
                                       setup::to_json(system_.confidence));
      }
      const auto log_file = options_.log_file.empty()
                                ? storage::require_regular_file(record_.paths.log())
                                : std::filesystem::path(options_.log_file);
      record_.log = job::RunLog(log_file, options_.quiet, options_.verbose);
    });
  }

  void begin_status() {
    const auto* checkpoint = resumed_checkpoint();
    record_.step = checkpoint ? checkpoint->header.step : 0;
    if (communicator_.is_root()) {
      status::RunningStatus(record_.paths.status(), record_.steps)
          .begin_phase("making the start", record_.step);
    }
    if (!options_.is_in_batch) {
      rank_files_.emplace(communicator_, record_.paths.with(status::rank_files_suffix));
    }
  }

  void find_devices() {
    device::limit_device_memory(setup::device_memory_limit(options_.device_memory, settings_));
    if (!options_.is_in_batch) device::forget_device_peaks();
    if (!compute_) compute_.emplace(communicator_, options_.threads, device_request_);
    device::set_waiting_processes(communicator_.node_position().size);
    if (!options_.is_in_batch) setup::log_devices(record_.log, *compute_);
    pool_ = setup::reserve_memory_pool(communicator_, settings_);
    profile_.set_devices(devices());
  }

  void describe() {
    describe_run(record_.log, system_, settings_, options_, communicator_);
    for (const auto& note : continuation_.notes) record_.log.note(note);
    const auto cold = record_.is_resumed ? "" : setup::cold_start_warning(settings_);
    if (!cold.empty()) record_.log.note(cold);
  }

  void make_ensemble() {
    auto session =
        std::make_unique<ensemble::EnsembleSession>(session_context(), system_, options_.input);
    ensemble_ = session.get();
    session_ = std::move(session);
    if (options_.is_in_batch || !communicator_.is_root()) return;
    ensemble_estimate_.emplace(settings_, system_.topology, record_.paths.name,
                               communicator_.size());
  }

  void report_ensemble(core::ExitCode exit_code) {
    record_.taken = ensemble_->taken();
    const double whole = process_time_.seconds(setup::is_single_threaded(communicator_.size()));
    const auto planned = ensemble_->planned_memory();
    const auto& estimate = ensemble_estimate_;
    report_end(
        {settings_, record_.paths, step(), planned, settings_.ensemble.replicas(), nullptr,
         ensemble_->minimising_seconds(), estimate ? estimate->step_estimate() : std::nullopt,
         measured_step_seconds(record_.taken)},
        {});
    if (!estimate) return;
    const auto parts = whole_parts(exit_code);
    for (const auto& line : estimate->end(record_.taken, parts ? whole : 0, parts)) {
      record_.log.detail(line);
    }
  }

  void make_run() {
    engine_.emplace(make_engine());
    auto session = std::make_unique<RunSession>(session_context(), *engine_, speed_);
    run_ = session.get();
    session_ = std::move(session);
    steps_time_ = hardware::ProcessTimer();
  }

  void report_run(core::ExitCode exit_code) {
    auto time = busy_time(*engine_);
    time.seconds *= processor_share(steps_time_);
    record_.taken = {time.steps, time.seconds};
    std::optional<double> measured;
    if (setup::EstimateRecord::is_enough(time)) {
      measured = time.seconds / static_cast<double>(time.steps);
    }
    report_end({settings_, record_.paths, step(), memory_.of(communicator_.rank()), 0, &*engine_,
                minimising_seconds_, estimate_ ? estimate_->predicted() : std::nullopt, measured,
                run_->load_balance()},
               run_->new_maps());
    if (!estimate_) return;
    const auto parts = whole_parts(exit_code);
    if (parts && estimate_->predicted()) {
      record_.job = estimate_->job_row();
      record_.job->measured = *parts;
    }
    for (const auto& line : estimate_->end(time, parts)) record_.log.detail(line);
    if (!options_.records_history) return;
    for (const auto& line : setup::record_means(settings_, run_->means())) {
      record_.log.detail(line);
    }
  }

  /// Returns the measured parts of the job; none if it was resumed or stopped. If one thread does
  /// the work, they add up to its processor time, which other programs do not lengthen.
  [[nodiscard]] std::optional<estimate::JobTime> whole_parts(core::ExitCode exit_code) const {
    auto parts = profile_.parts();
    if (!parts || exit_code != core::ExitCode::done || record_.is_resumed) return std::nullopt;
    for (const auto part : estimate::measured_parts) {
      (*parts).*part *= processor_share(process_time_);
    }
    return parts;
  }
  /// Returns the processor time over the time of a timer if one thread does the work, else 1.
  [[nodiscard]] double processor_share(const hardware::ProcessTimer& timer) const {
    if (!setup::is_single_threaded(communicator_.size())) return 1;
    return timer.seconds(true) / timer.seconds(false);
  }

  [[nodiscard]] common::SessionContext session_context() {
    return {communicator_,
            compute_->devices(),
            settings_,
            system_.topology,
            record_.paths,
            record_.log,
            clock_,
            resumed_checkpoint(),
            time_limit_seconds_,
            options_.time_limit,
            options_.join_query};
  }

  /// Calls a stage of the session and records the step at which a failure occurred.
  void do_stage(const std::function<void()>& stage) {
    try {
      stage();
    } catch (const std::exception&) {
      record_.step = step();
      throw;
    }
  }

  engine::Engine make_engine() {
    const auto now = telemetry::steady_seconds();
    const double begun = now();
    const auto& topology = system_.topology;
    auto first = make_first_state();
    speed_ = setup::speeds_by_score(communicator_, devices(), settings_);
    auto [owner, partition_message] =
        setup::make_shared_partition(communicator_, settings_, topology, first, speed_);
    if (communicator_.size() > 1) record_.log.note(partition_message);
    if (!speed_.empty()) {
      record_.log.note(
          fmt::format("residues are in proportion to the scores of the ranks' devices: "
                      "{:.4g}",
                      fmt::join(speed_, ", ")));
    }
    plan_memory(owner, first);
    setup::keep_own_rows(communicator_, settings_, topology, owner, first);
    record_.log.detail(setup::start_message(communicator_, now() - begun));
    auto engine = setup::make_engine(communicator_, compute_->devices(), settings_, topology,
                                     std::move(first.state), std::move(owner));
    describe_transport(record_.log, engine.statistics());
    if (!record_.is_resumed) {
      // Minimisation precedes the first step, so that the first checkpoint includes it.
      const double minimising_since = now();
      const std::string message = setup::minimise_start(engine, settings_.start);
      minimising_seconds_ = now() - minimising_since;
      if (!message.empty()) record_.log.note(message);
    }
    return engine;
  }

  setup::FirstState make_first_state() {
    auto first =
        continuation_.checkpoint
            ? setup::FirstState{std::move(continuation_.checkpoint->state), {}, takes_share_}
            : setup::first_positions(communicator_, settings_, options_.input, system_.topology);
    for (const auto& note : first.notes) record_.log.note(note);
    record_.step = first.state.step;
    return first;
  }

  /// Sets the memory plan and, on rank 0, the estimate of a step. Throws if memory is lacking.
  void plan_memory(const domain::Ownership& owner, setup::FirstState& first) {
    const setup::MemoryEstimator planner = memory_planner(first);
    memory_ = planner.on(communicator_.size(), owner);
    record_.log.detail(setup::memory_message(memory_));
    for (const auto& line : setup::memory_table(memory_, device::MemoryEstimate())) {
      record_.log.detail(line);
    }
    const auto& mine = memory_.of(communicator_.rank());
    const auto placement = setup::place_arrays(communicator_, devices(), mine);
    if (!placement.message.empty()) record_.log.note(placement.message);
    memory_ = memory_.with_moved(placement.moved_uses);
    setup::require_memory(communicator_, devices(), memory_, planner, settings_);
    const int ranks_per_node = communicator_.node_position().size;
    if (communicator_.is_root()) {
      estimate_.emplace(planner, settings_, options_.input, communicator_.size(), ranks_per_node,
                        record_.is_resumed, options_.records_history);
    }
  }

  /// Plans a large system of many copies from a part of it, which takes less time. Otherwise
  /// gathers the whole first state, if `first` is a share of it.
  setup::MemoryEstimator memory_planner(setup::FirstState& first) {
    const auto& topology = system_.topology;
    if (setup::is_estimated_by_part(settings_, topology.residue_count())) {
      auto part = setup::build_part(communicator_, settings_, options_.input, setup::part_residues);
      if (part.times > 1) return {settings_, options_.input, std::move(part)};
    }
    if (first.is_share) {
      first.state = setup::gather_first_state(communicator_, first);
      first.is_share = false;
    }
    return {settings_, topology, first.state};
  }

  void report_end(const RunProfile::End& end, const setup::RepartitionHistory& new_maps) {
    for (const auto& line : profile_.end(end)) record_.log.note(line);
    if (pool_) record_.log.note(setup::describe_memory_pool(communicator_, settings_, *pool_));
    if (options_.is_in_batch) return;
    for (const auto& line :
         setup::describe_peak_memory(communicator_, devices(), end.planned, new_maps)) {
      record_.log.detail(line);
    }
  }

  /// Null: a new run.
  [[nodiscard]] const io::Checkpoint* resumed_checkpoint() const {
    return continuation_.checkpoint ? &*continuation_.checkpoint : nullptr;
  }
  [[nodiscard]] const device::JobDevices& devices() const { return *compute_->devices(); }

  telemetry::StepClock clock_;
  hardware::ProcessTimer process_time_;
  const comm::Communicator& communicator_;
  const job::RunOptions& options_;
  std::optional<device::ComputeEnvironment>& compute_;
  RunRecord& record_;
  RunProfile profile_;
  double time_limit_seconds_;
  input::Settings settings_;
  hardware::DeviceWish device_request_;
  setup::SystemSetup system_;
  std::unique_ptr<job::FolderLock> lock_;  // rank 0
  bool takes_share_ = false;               // each rank has consecutive rows of the checkpoint
  setup::Continuation continuation_;
  std::optional<job::RankFiles> rank_files_;  // none in a batch
  std::unique_ptr<device::MemoryPool> pool_;  // null: none is wanted, or the device is a CPU
  // Set by make_engine().
  std::vector<double> speed_;
  setup::RunMemory memory_;
  double minimising_seconds_ = 0;
  std::optional<setup::EstimateRecord> estimate_;  // rank 0
  std::optional<engine::Engine> engine_;
  hardware::ProcessTimer steps_time_;
  // Set by make_ensemble().
  std::optional<EnsembleEstimate> ensemble_estimate_;  // rank 0
  // One of the two is the session.
  std::unique_ptr<common::Session> session_;
  RunSession* run_ = nullptr;
  ensemble::EnsembleSession* ensemble_ = nullptr;
};

Simulation::Simulation(const comm::Communicator& communicator, const job::RunOptions& options,
                       std::optional<device::ComputeEnvironment>& compute, RunRecord& record)
    : stages_(std::make_unique<Stages>(communicator, options, compute, record)) {}
Simulation::~Simulation() = default;

void Simulation::begin() { stages_->begin(); }
std::string Simulation::advance_until(std::int64_t step) { return stages_->advance_until(step); }
core::ExitCode Simulation::end(const std::string& stop_reason) { return stages_->end(stop_reason); }
void Simulation::write_checkpoint(const std::filesystem::path& path) {
  stages_->write_checkpoint(path);
}
const input::Settings& Simulation::settings() const { return stages_->settings(); }
const topology::Topology& Simulation::topology() const { return stages_->topology(); }
std::int64_t Simulation::step() const { return stages_->step(); }
engine::Engine* Simulation::engine() { return stages_->engine(); }

void write_failure(RunRecord& record, const core::Failure& failure) {
  record.log.error(failure.what());
  record.log.close_display();
  if (!record.owns_folder) return;
  try {
    status::write_status(record.paths.status(), {failure.outcome(), record.step, record.steps,
                                                 failure.what(), "", failure.suspect()});
  } catch (const std::exception&) {
    // The folder itself may have caused the failure; the message is on standard error in any case.
    record.owns_folder = false;
  }
}

void write_stall(const RunRecord& record, const comm::StallReport& stall) {
  if (!record.owns_folder) return;
  status::write_status(record.paths.status(),
                       {core::Outcome::hang, std::max(stall.step, record.step), record.steps,
                        stall.message, "", stall.suspect});
}

core::ExitCode simulate(const comm::Communicator& communicator, const job::RunOptions& options,
                        std::optional<device::ComputeEnvironment>& compute, RunRecord& record) {
  Simulation simulation(communicator, options, compute, record);
  simulation.begin();
  return simulation.end(simulation.advance_until(simulation.settings().dynamics.steps));
}

}  // namespace nfold::run
