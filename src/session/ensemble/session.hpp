// Session of an ensemble: replicas, exchanges and samples, from its first step to its last.
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
#include "input/settings.hpp"
#include "io/checkpoint.hpp"
#include "io/sample_file.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_set.hpp"
#include "session/ensemble/exchange_over_ranks.hpp"
#include "session/ensemble/memory.hpp"
#include "session/ensemble/observation.hpp"
#include "session/ensemble/replica_shares.hpp"
#include "session/ensemble/replica_trajectories.hpp"
#include "session/ensemble/state_exchange.hpp"
#include "session/ensemble/verification.hpp"
#include "session/job/block_decision.hpp"
#include "session/job/device_monitor.hpp"
#include "session/job/run_log.hpp"
#include "session/job/silent_error.hpp"
#include "session/setup/checkpoint_timer.hpp"
#include "session/setup/join_poller.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/work_record.hpp"

namespace nfold::ensemble {

/// Constants of a session; the referred-to objects outlive it.
struct EnsembleContext {
  const comm::Communicator& communicator;
  std::shared_ptr<device::JobDevices>
      devices;  ///< devices of the whole job; the communicator may be a part of it
  const input::Settings& settings;
  const setup::SystemSetup& system;
  std::filesystem::path input_file;
  status::OutputPaths paths;
  const io::Checkpoint* checkpoint = nullptr;  ///< null: a new run
  double time_limit_seconds = 0;               ///< <= 0: none
  std::string time_limit;                      ///< text as given, for messages
  telemetry::SecondsClock seconds =
      telemetry::steady_seconds();  ///< clock of computing time, for load balancing
  job::JoinQuery join_query{};
};

/// Session of an ensemble. Each rank has consecutive replicas and decides the exchanges of their
/// ladders. At a step, samples and frames are taken first, then states are exchanged, then a
/// checkpoint may be written: a resume has nothing of its step left to do. If a rank has become
/// slow, replicas then move to other ranks. Members are collective.
class EnsembleSession {
 public:
  /// Throws InputError for more ranks than replicas, or a checkpoint of another ensemble.
  EnsembleSession(const EnsembleContext& context, job::RunLog& log, telemetry::StepClock& clock);

  /// Runs like Session::run(). An exploding replica ends the run; the last checkpoint stays.
  [[nodiscard]] core::ExitCode run();
  [[nodiscard]] std::int64_t step() const { return step_; }
  /// Wall time and steps of the slowest rank, excluding verified blocks.
  [[nodiscard]] const setup::TimedSteps& taken() const { return taken_; }
  /// Memory plan of this rank, for the most replicas that it has held.
  [[nodiscard]] device::MemoryEstimate planned_memory() const;

 private:
  void make_replicas();
  void make_set(const std::vector<replicas::ReplicaStart>& starts);
  [[nodiscard]] replicas::ReplicaSetOptions replica_set_options() const;
  [[nodiscard]] std::vector<replicas::ReplicaStart> replica_starts(
      int rank, const system::State& states) const;
  [[nodiscard]] replicas::ReplicaSet make_rank_set(int rank, const system::State& states) const;
  void prepare_observation();
  /// Plan of this rank's counts.
  [[nodiscard]] replicas::ObserverPlan own_plan() const;
  [[nodiscard]] EnsembleMemory rank_memory(std::int64_t replicas) const;
  void restore();
  [[nodiscard]] engine::EngineSettings replica_engine_settings(
      const input::Settings& settings) const;
  [[nodiscard]] const topology::Topology& topology() const { return context_.system.topology; }
  [[nodiscard]] replicas::ReplicaStart first_start(int replica) const;
  [[nodiscard]] replicas::ReplicaStart make_start(system::State state, int replica) const;
  [[nodiscard]] std::int64_t next_block_end() const;
  [[nodiscard]] job::BlockDecision agree(std::int64_t next_steps);
  [[nodiscard]] double step_time_ratio(int ranks) const;
  void advance_to(std::int64_t border);
  void handle_silent_error();
  void handle_events();
  [[nodiscard]] io::SampleRow own_samples();
  void take_samples(const io::SampleRow& mine);
  void exchange(const io::SampleRow& mine);
  void balance_replicas();
  void move_replicas(const ReplicaShares& before);
  [[nodiscard]] int first() const { return shares().first_of(context_.communicator.rank()); }
  [[nodiscard]] int count() const { return shares().count_of(context_.communicator.rank()); }
  [[nodiscard]] const ReplicaShares& shares() const { return balance_->shares(); }
  void save_checkpoint();
  void show_phase(const char* phase);
  [[nodiscard]] status::RunningStatus* own_status() {
    return context_.communicator.is_root() ? &status_ : nullptr;
  }
  void draw(bool last);
  [[nodiscard]] core::ExitCode end(const std::string& stop_reason);
  void write_results();
  void report_speed();
  void report_most_replicas();

  EnsembleContext context_;
  job::RunLog& log_;
  telemetry::StepClock& clock_;
  setup::CheckpointTimer pace_;
  setup::JoinPoller more_ranks_;  // rank 0
  status::RunningStatus status_;  // rank 0
  job::DeviceMonitor devices_;
  ensemble::StateExchange exchange_;
  std::optional<ReplicaBalance> balance_;
  std::optional<ExchangeOverRanks> rank_exchange_;
  double busy_seconds_ = 0,
         making_seconds_ =
             0;  // computing time since the last balancing; time of the last make_set()
  std::int64_t busy_steps_ = 0;  // steps in busy_seconds_
  setup::TimedSteps taken_;
  std::int64_t previous_engine_steps_ = 0;  // steps by engines in replaced sets, on this rank
  std::int64_t most_steps_ = 0;             // between two checks of the signals
  std::int64_t step_ = 0, first_step_ = 0, checkpointed_step_ = -1;
  std::int64_t most_replicas_ = 0;  // largest number on this rank so far
  std::optional<replicas::ReplicaSet> replicas_;
  ReplicaVerification verification_;
  std::optional<job::SilentError> silent_error_;  // silent error of the last block
  std::optional<EnsembleObservation> observation_;
  std::optional<io::SampleFile> samples_;  // rank 0
  std::optional<ReplicaTrajectories> trajectories_;
  io::SampleRow latest_;  // rank 0: the last sample of all replicas
};

}  // namespace nfold::ensemble
