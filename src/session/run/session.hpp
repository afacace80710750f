// Session of a run: from its first step to its last, a signal, the time limit or a failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/exit_code.hpp"
#include "core/status/output_paths.hpp"
#include "core/status/running_status.hpp"
#include "core/telemetry/step_clock.hpp"
#include "device/job_devices.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_writer.hpp"
#include "model/topology/topology.hpp"
#include "session/job/block_decision.hpp"
#include "session/job/device_monitor.hpp"
#include "session/job/run_log.hpp"
#include "session/job/silent_error.hpp"
#include "session/run/balance_table.hpp"
#include "session/run/observation.hpp"
#include "session/run/repartition.hpp"
#include "session/run/verification.hpp"
#include "session/setup/checkpoint_header.hpp"
#include "session/setup/checkpoint_timer.hpp"
#include "session/setup/frame_writer.hpp"
#include "session/setup/join_poller.hpp"
#include "session/setup/report.hpp"
#include "session/setup/schedule.hpp"

namespace nfold::run {

/// Constants of a session; the referred-to objects outlive it.
struct SessionContext {
  const comm::Communicator& communicator;
  const input::Settings& settings;
  const topology::Topology& topology;
  std::string gpu;  ///< UUID of this rank's GPU; empty: it computes on the CPU
  std::vector<double>
      speed;  ///< (ranks) relative speeds, to which work is proportional; empty: equal
  std::shared_ptr<device::JobDevices> devices;
  status::OutputPaths paths;
  setup::FileStart start;
  const io::CheckpointHeader* resumed_from = nullptr;  ///< null: a new run
  double time_limit_seconds = 0;                       ///< <= 0: none
  std::string time_limit;                              ///< text as given, for messages
  job::JoinQuery join_query{};
};

/// Checkpoint that is written while steps continue.
struct PendingCheckpoint {
  std::unique_ptr<io::CheckpointWriter> writing;
  std::filesystem::path path;
  std::int64_t step = 0;
  double steps_waited_s = 0;
  bool files_are_on_disk = false;  ///< true if the growing files are on disk up to this step
};

/// Session that advances the engine in blocks, which end at events and at fixed numbers of steps.
/// Between blocks all ranks agree, by one sum of integers, to stop, to write a checkpoint or to
/// update the display: clocks and signals decide when a session ends and when a checkpoint is
/// written, and never change a bit of its content. Members are collective.
class Session {
 public:
  /// Opens the growing files on rank 0. Throws storage::FileError as core::Failure.
  Session(const SessionContext& context, engine::Engine& engine, job::RunLog& log,
          telemetry::StepClock& clock);

  /// Runs to the end; NAME.status, the last checkpoint and all frames are on disk when it returns.
  /// Throws engine::ExplosionError after saving the last good state.
  [[nodiscard]] core::ExitCode run();
  /// Means known from the observables; empty except on rank 0.
  [[nodiscard]] const std::vector<estimate::SampledMean>& means() const {
    return observation_->means();
  }
  [[nodiscard]] std::int64_t step() const { return engine_.step(); }
  [[nodiscard]] setup::RepartitionHistory new_maps() const { return repartition_.new_maps(); }

 private:
  void advance_to(std::int64_t border);
  void advance(std::int64_t steps);
  void handle_silent_error();
  void update_partition();
  void report(const setup::DueEvents& due, bool display_due);
  void note_saturation(const setup::Report& report);
  [[nodiscard]] core::ExitCode run_blocks();
  // Defined in session_checkpoints.cpp.
  void save_checkpoint(const std::filesystem::path& path);
  void save_checkpoint_in_background();
  void begin_checkpoint(const std::filesystem::path& path);
  void continue_checkpoint();
  void finish_checkpoint();
  void finish_checkpoint_after_failure();
  void end_checkpoint();
  void note_missing_headroom(bool had_capacity);
  void show_phase(const char* phase);
  [[nodiscard]] status::RunningStatus* own_status() {
    return context_.communicator.is_root() ? &status_ : nullptr;
  }
  void begin_observation();
  [[nodiscard]] job::BlockDecision agree(std::int64_t next_steps);
  [[nodiscard]] std::string save_last_good_state();
  [[nodiscard]] core::ExitCode end(const std::string& stop_reason);
  void export_for_vmd();
  void draw(const setup::Report& report, bool last);

  SessionContext context_;
  engine::Engine& engine_;
  job::RunLog& log_;
  telemetry::StepClock& clock_;
  setup::SystemIdentity identity_;
  setup::CheckpointTimer pace_;
  setup::JoinPoller more_ranks_;  // rank 0
  status::RunningStatus status_;  // rank 0
  job::DeviceMonitor devices_;
  setup::Schedule schedule_;
  Repartition repartition_;
  Verification verification_;
  std::optional<job::SilentError> silent_error_;  // silent error of the last block
  std::optional<setup::FrameWriter> files_;       // rank 0
  std::optional<Observation> observation_;
  std::optional<BalanceTable> balance_;  // rank 0
  std::int64_t first_step_, checkpointed_step_ = -1, memory_bytes_ = 0;
  bool has_noted_saturation_ = false, has_noted_missing_headroom_ = false;
  std::optional<PendingCheckpoint> pending_checkpoint_;
};

}  // namespace nfold::run
