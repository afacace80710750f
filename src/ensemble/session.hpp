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
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "ensemble/exchange_over_ranks.hpp"
#include "ensemble/memory.hpp"
#include "ensemble/observation.hpp"
#include "ensemble/replica_shares.hpp"
#include "ensemble/replica_trajectories.hpp"
#include "ensemble/state_exchange.hpp"
#include "ensemble/verification.hpp"
#include "io/checkpoint.hpp"
#include "io/sample_file.hpp"
#include "job/devices_shown.hpp"
#include "job/exit_code.hpp"
#include "job/output_paths.hpp"
#include "job/run_log.hpp"
#include "job/running_status.hpp"
#include "job/silent_error.hpp"
#include "job/verdict.hpp"
#include "replicas/replica_set.hpp"
#include "setup/checkpoint_pace.hpp"
#include "setup/more_ranks.hpp"
#include "setup/species_setup.hpp"
#include "setup/work_record.hpp"
#include "telemetry/step_clock.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// Constants of a session; the referred-to objects outlive it.
struct EnsembleContext {
  const comm::Communicator& communicator;
  std::shared_ptr<device::DevicesOfJob>
      devices;  ///< devices of the whole job; the communicator may be a part of it
  const config::Settings& settings;
  const setup::SystemSetup& system;
  std::filesystem::path input_file;
  job::OutputPaths paths;
  const io::Checkpoint* checkpoint = nullptr;  ///< null: a new run
  double time_limit_seconds = 0;               ///< <= 0: none
  std::string time_limit;                      ///< text as given, for messages
  telemetry::SecondsClock seconds =
      telemetry::steady_seconds();  ///< clock of computing time, for load balancing
  job::AsksForMoreRanks asks_for_more_ranks{};
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
  [[nodiscard]] job::ExitCode run();
  [[nodiscard]] std::int64_t step() const { return step_; }
  /// Wall time and steps of the slowest rank, excluding verified blocks.
  [[nodiscard]] const setup::TakenSteps& taken() const { return taken_; }
  /// Memory plan of this rank, for the most replicas that it has held.
  [[nodiscard]] device::MemoryPlan planned_memory() const;

 private:
  void make_replicas();
  void make_set(const std::vector<replicas::ReplicaStart>& starts);
  [[nodiscard]] replicas::ReplicaSetOptions options_of_set() const;
  [[nodiscard]] std::vector<replicas::ReplicaStart> starts_of(int rank,
                                                              const system::State& states) const;
  [[nodiscard]] replicas::ReplicaSet set_from(int rank, const system::State& states) const;
  void prepare_observation();
  /// Plan of this rank's counts.
  [[nodiscard]] replicas::ObserverPlan own_plan() const;
  [[nodiscard]] EnsembleMemory memory_of(std::int64_t replicas) const;
  void restore();
  [[nodiscard]] dynamics::EngineSettings settings_of_engines(
      const config::Settings& settings) const;
  [[nodiscard]] const topology::Topology& topology() const { return context_.system.topology; }
  [[nodiscard]] replicas::ReplicaStart first_start(int replica) const;
  [[nodiscard]] replicas::ReplicaStart start_from(system::State state, int replica) const;
  [[nodiscard]] std::int64_t next_border() const;
  [[nodiscard]] job::Verdict agree(std::int64_t next_steps);
  [[nodiscard]] double share_on(int ranks) const;
  void advance_to(std::int64_t border);
  void serve_silent_error();
  void serve_events();
  [[nodiscard]] io::SampleRow own_samples();
  void take_samples(const io::SampleRow& mine);
  void exchange(const io::SampleRow& mine);
  void share_out();
  void move_replicas(const ReplicaShares& before);
  [[nodiscard]] int first() const { return shares().first_of(context_.communicator.rank()); }
  [[nodiscard]] int count() const { return shares().count_of(context_.communicator.rank()); }
  [[nodiscard]] const ReplicaShares& shares() const { return balance_->shares(); }
  void save_checkpoint();
  void tell_phase(const char* phase);
  [[nodiscard]] job::RunningStatus* own_status() {
    return context_.communicator.is_root() ? &status_ : nullptr;
  }
  void draw(bool last);
  [[nodiscard]] job::ExitCode end(const std::string& stop_reason);
  void tell_results();
  void tell_speed();
  void tell_most_replicas();

  EnsembleContext context_;
  job::RunLog& log_;
  telemetry::StepClock& clock_;
  setup::CheckpointPace pace_;
  setup::MoreRanks more_ranks_;  // rank 0
  job::RunningStatus status_;    // rank 0
  job::DevicesShown devices_;
  ensemble::StateExchange exchange_;
  std::optional<ReplicaBalance> balance_;
  std::optional<ExchangeOverRanks> trades_;
  double busy_seconds_ = 0,
         making_seconds_ =
             0;  // computing time since the last balancing; time of the last make_set()
  std::int64_t busy_steps_ = 0;  // steps in busy_seconds_
  setup::TakenSteps taken_;
  std::int64_t steps_by_engine_before_ = 0;  // steps by engines in replaced sets, on this rank
  std::int64_t most_steps_ = 0;              // between two checks of the signals
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
