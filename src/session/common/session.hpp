// Session of a run or an ensemble, from its first step to its last, a signal, a limit or a failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/exit_code.hpp"
#include "core/status/output_paths.hpp"
#include "core/status/running_status.hpp"
#include "core/telemetry/progress.hpp"
#include "core/telemetry/step_clock.hpp"
#include "device/job_devices.hpp"
#include "input/settings.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_writer.hpp"
#include "model/topology/topology.hpp"
#include "session/common/block_decision.hpp"
#include "session/common/checkpoint_timer.hpp"
#include "session/common/device_monitor.hpp"
#include "session/common/join_poller.hpp"
#include "session/common/silent_error.hpp"
#include "session/job/join_query.hpp"
#include "session/job/run_log.hpp"
#include "session/setup/checkpoint_header.hpp"
#include "system/state_source.hpp"

namespace nfold::common {

/// Constants of a session; the referred-to objects outlive it.
struct SessionContext {
  const comm::Communicator& communicator;
  /// Devices of the whole job; the communicator may be a part of it.
  std::shared_ptr<device::JobDevices> devices;
  const input::Settings& settings;
  const topology::Topology& topology;
  status::OutputPaths paths;
  job::RunLog& log;
  telemetry::StepClock& clock;
  const io::Checkpoint* checkpoint = nullptr;  ///< null: a new run
  double time_limit_seconds = 0;               ///< <= 0: none
  std::string time_limit{};                    ///< text as given, for messages
  job::JoinQuery join_query{};
};

/// Content of a checkpoint at the present step.
struct CheckpointContent {
  io::CheckpointHeader header;
  /// See io::CheckpointWriter. Must not refer to members of a derived class: they are destroyed
  /// while a pending checkpoint may still call it.
  std::function<system::StateSource()> fetch_rows;
  std::vector<std::filesystem::path> growing_files;  ///< files that the checkpoint refers to
};

/// Session in blocks of steps, which end at events and at fixed numbers of steps. Between blocks
/// all ranks agree, by one sum of integers, to stop, to write a checkpoint or to update the
/// display: clocks and signals decide when a session ends and when a checkpoint is written, and
/// never change a bit of its content. Derived classes compute the steps and have the results.
/// Members are collective, except where they are of rank 0.
class Session {
 public:
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs to the end; NAME.status, the last checkpoint and all results are on disk when it returns.
  /// Throws engine::ExplosionError once the last good state is on disk.
  [[nodiscard]] core::ExitCode run();
  // Stages of run(), for a caller that does something else between steps.
  /// Reports the first state; the first checkpoint is on disk when it returns.
  void begin();
  /// Advances to a step, at most the last one. Returns the reason to end before it, or an empty
  /// text; a step below `until` then means that the session has reached its goal.
  [[nodiscard]] std::string advance_until(std::int64_t until);
  /// Completes the files. stop_reason: empty if the session has reached its last step or its goal.
  [[nodiscard]] core::ExitCode end(const std::string& stop_reason);
  /// Writes the present state, unless `path` is the run's checkpoint and holds it.
  void write_checkpoint(const std::filesystem::path& path);
  [[nodiscard]] virtual std::int64_t step() const = 0;

 protected:
  /// unit, units: name and number of the units of work of all ranks, for the display.
  Session(const SessionContext& context, const char* unit, std::int64_t units);

  /// Returns the end (> step()) of the next block: an event, the last step, or the most steps
  /// between two agreements.
  [[nodiscard]] virtual std::int64_t next_block_end() const = 0;
  /// Throws engine::ExplosionError on all ranks.
  virtual void advance(std::int64_t steps) = 0;
  /// Advances and recomputes the steps on other ranks.
  [[nodiscard]] virtual std::optional<SilentError> advance_verified(std::int64_t steps) = 0;
  [[nodiscard]] virtual const VerificationTotals& verified() const = 0;
  /// Returns text to append to the message of an explosion.
  [[nodiscard]] virtual std::string save_last_good_state() = 0;
  /// Moves work to other ranks if it pays; changes no bit of a result.
  virtual void rebalance() = 0;
  /// Samples, writes and exchanges what is due at this step.
  virtual void handle_events() = 0;
  /// True if the session may end before its last step. Equal for equal states, so that a resumed
  /// session ends at the same step. Called before each block.
  [[nodiscard]] virtual bool has_reached_goal() { return false; }
  virtual void describe_progress(telemetry::ProgressSample& sample) = 0;
  [[nodiscard]] virtual std::int64_t own_units() const = 0;
  /// Returns the estimated step time on so many ranks over the present one. Rank 0.
  [[nodiscard]] virtual double step_time_ratio(int ranks) const = 0;
  [[nodiscard]] virtual CheckpointContent checkpoint_content() = 0;
  /// Flushes the growing files to disk. Rank 0.
  virtual void sync_files() = 0;
  /// Writes results that belong to the checkpoint begun last. Rank 0.
  virtual void write_checkpointed_results() {}
  /// Closes all files. with_results: false if the session resumes at once.
  virtual void finish_files(bool with_results) = 0;
  virtual void log_speed() = 0;

  void save_checkpoint(const std::filesystem::path& path);
  /// Called after a failure on all ranks: completes a pending checkpoint. Returns why that failed,
  /// or an empty text. Throws a failure of one rank alone, since the others wait for it.
  std::string finish_checkpoint_after_failure();
  void show_phase(const char* phase);
  /// Null except on rank 0.
  [[nodiscard]] status::RunningStatus* own_status() {
    return context_.communicator.is_root() ? &status_ : nullptr;
  }

  const SessionContext context_;
  job::RunLog& log_;
  telemetry::StepClock& clock_;
  const setup::SystemIdentity identity_;
  std::int64_t first_step_ = 0;          // set by run()
  std::int64_t checkpointed_step_ = -1;  // step of the newest checkpoint, which may be pending

 private:
  /// Checkpoint that is written while steps continue.
  struct PendingCheckpoint {
    std::unique_ptr<io::CheckpointWriter> writing;
    std::filesystem::path path;
    std::int64_t step = 0;
    double steps_waited_s = 0;
    bool files_are_on_disk = false;  // true if the growing files are on disk up to this step
  };

  /// Calls `stage`, and completes a pending checkpoint if it fails on all ranks.
  void do_stage(const std::function<void()>& stage);
  [[nodiscard]] std::string run_blocks(std::int64_t until);
  [[nodiscard]] BlockDecision agree(std::int64_t next_steps);
  void advance_to(std::int64_t border);
  void handle_silent_error();
  void show_progress(bool is_last);
  [[nodiscard]] core::ExitCode finish(const std::string& stop_reason);
  // Defined in session_checkpoints.cpp.
  void save_checkpoint_in_background();
  void begin_checkpoint(const std::filesystem::path& path);
  void continue_checkpoint();
  void finish_checkpoint();
  void end_checkpoint();

  const std::int64_t last_step_;
  CheckpointTimer pace_;
  JoinPoller more_ranks_;         // rank 0
  status::RunningStatus status_;  // rank 0
  DeviceMonitor devices_;
  std::optional<SilentError> silent_error_;  // silent error of the last block
  std::optional<PendingCheckpoint> pending_checkpoint_;
};

}  // namespace nfold::common
