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
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "dynamics/engine.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_writing.hpp"
#include "job/devices_shown.hpp"
#include "job/exit_code.hpp"
#include "job/output_paths.hpp"
#include "job/run_log.hpp"
#include "job/running_status.hpp"
#include "job/silent_error.hpp"
#include "job/verdict.hpp"
#include "run/balance_table.hpp"
#include "run/observation.hpp"
#include "run/repartition.hpp"
#include "run/verification.hpp"
#include "setup/checkpoint_header.hpp"
#include "setup/checkpoint_pace.hpp"
#include "setup/frame_writer.hpp"
#include "setup/more_ranks.hpp"
#include "setup/report.hpp"
#include "setup/schedule.hpp"
#include "telemetry/step_clock.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// Constants of a session; the referred-to objects outlive it.
struct SessionContext {
  const comm::Communicator& communicator;
  const config::Settings& settings;
  const topology::Topology& topology;
  std::string gpu;  ///< UUID of this rank's GPU; empty: it computes on the CPU
  std::vector<double>
      speed;  ///< (ranks) relative speeds, to which work is proportional; empty: equal
  std::shared_ptr<device::DevicesOfJob> devices;
  job::OutputPaths paths;
  setup::FileStart start;
  const io::CheckpointHeader* continued_from = nullptr;  ///< null: a new run
  double time_limit_seconds = 0;                         ///< <= 0: none
  std::string time_limit;                                ///< text as given, for messages
  job::AsksForMoreRanks asks_for_more_ranks{};
};

/// Checkpoint that is written while steps continue.
struct CheckpointUnderWay {
  std::unique_ptr<io::CheckpointWriting> writing;
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
  /// Opens the growing files on rank 0. Throws storage::FileError as SharedFailure.
  Session(const SessionContext& context, dynamics::Engine& engine, job::RunLog& log,
          telemetry::StepClock& clock);

  /// Runs to the end; NAME.status, the last checkpoint and all frames are on disk when it returns.
  /// Throws dynamics::ExplosionError after saving the last good state.
  [[nodiscard]] job::ExitCode run();
  /// Means known from the observables; empty except on rank 0.
  [[nodiscard]] const std::vector<plan::SampledMean>& means() const {
    return observation_->means();
  }
  [[nodiscard]] std::int64_t step() const { return engine_.step(); }
  [[nodiscard]] setup::NewMaps new_maps() const { return repartition_.new_maps(); }

 private:
  void advance_to(std::int64_t border);
  void advance(std::int64_t steps);
  void serve_silent_error();
  void serve_repartition();
  void report(const setup::DueEvents& due, bool display_due);
  void tell_of_saturation(const setup::Report& report);
  [[nodiscard]] job::ExitCode run_blocks();
  // Defined in session_checkpoints.cpp.
  void save_checkpoint(const std::filesystem::path& path);
  void save_checkpoint_beside_steps();
  void begin_checkpoint(const std::filesystem::path& path);
  void go_on_with_checkpoint();
  void finish_checkpoint();
  void finish_checkpoint_after_failure();
  void end_checkpoint();
  void tell_of_lack_of_room(bool had_room);
  void tell_phase(const char* phase);
  [[nodiscard]] job::RunningStatus* own_status() {
    return context_.communicator.is_root() ? &status_ : nullptr;
  }
  void begin_observation();
  [[nodiscard]] job::Verdict agree(std::int64_t next_steps);
  [[nodiscard]] std::string save_last_good_state();
  [[nodiscard]] job::ExitCode end(const std::string& stop_reason);
  void export_for_vmd();
  void draw(const setup::Report& report, bool last);

  SessionContext context_;
  dynamics::Engine& engine_;
  job::RunLog& log_;
  telemetry::StepClock& clock_;
  setup::SystemIdentity identity_;
  setup::CheckpointPace pace_;
  setup::MoreRanks more_ranks_;  // rank 0
  job::RunningStatus status_;    // rank 0
  job::DevicesShown devices_;
  setup::Schedule schedule_;
  Repartition repartition_;
  Verification verification_;
  std::optional<job::SilentError> silent_error_;  // silent error of the last block
  std::optional<setup::FrameWriter> files_;       // rank 0
  std::optional<Observation> observation_;
  std::optional<BalanceTable> balance_;  // rank 0
  std::int64_t first_step_, checkpointed_step_ = -1, memory_bytes_ = 0;
  bool told_of_saturation_ = false, told_of_lack_of_room_ = false;
  std::optional<CheckpointUnderWay> under_way_;
};

}  // namespace nfold::run
