// Session of an ensemble: replicas, exchanges and samples.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/sample_file.hpp"
#include "replicas/replica_set.hpp"
#include "session/common/session.hpp"
#include "session/ensemble/chain_observation.hpp"
#include "session/ensemble/exchange_over_ranks.hpp"
#include "session/ensemble/memory.hpp"
#include "session/ensemble/observation.hpp"
#include "session/ensemble/replica_shares.hpp"
#include "session/ensemble/replica_trajectories.hpp"
#include "session/ensemble/state_exchange.hpp"
#include "session/ensemble/verification.hpp"
#include "session/setup/estimate_record.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::ensemble {

/// Session of an ensemble. Each rank has consecutive replicas and decides the exchanges of their
/// ladders. After a block, replicas move to other ranks if a rank has become slow. Samples and
/// frames are taken next, then states are exchanged, then a checkpoint may be written: a resume has
/// nothing of its step left to do. An exploding replica ends the run; the last checkpoint stays.
class EnsembleSession final : public common::Session {
 public:
  /// Collective. Throws InputError for more ranks than replicas, or a checkpoint of another
  /// ensemble. The system outlives this. seconds: clock of computing time, for load balancing.
  EnsembleSession(const common::SessionContext& context, const setup::SystemSetup& system,
                  std::filesystem::path input_file,
                  telemetry::SecondsClock seconds = telemetry::steady_seconds());

  [[nodiscard]] std::int64_t step() const override { return step_; }
  /// Wall time and steps of the slowest rank, excluding verified blocks.
  [[nodiscard]] const setup::TimedSteps& taken() const { return taken_; }
  /// Time in which this rank minimised the first states of its replicas.
  [[nodiscard]] double minimising_seconds() const { return minimising_seconds_; }
  /// Memory plan of this rank, for the most replicas that it has held.
  [[nodiscard]] device::MemoryEstimate planned_memory() const;

 private:
  [[nodiscard]] std::int64_t next_block_end() const override;
  void advance(std::int64_t steps) override;
  [[nodiscard]] std::optional<common::SilentError> advance_verified(std::int64_t steps) override;
  [[nodiscard]] const common::VerificationTotals& verified() const override {
    return verification_.work();
  }
  [[nodiscard]] std::string save_last_good_state() override;
  void rebalance() override;
  void handle_events() override;
  [[nodiscard]] bool has_reached_goal() override;
  void describe_progress(telemetry::ProgressSample& sample) override;
  [[nodiscard]] std::int64_t own_units() const override { return count(); }
  [[nodiscard]] double step_time_ratio(int ranks) const override;
  [[nodiscard]] common::CheckpointContent checkpoint_content() override;
  void sync_files() override;
  void finish_files(bool with_results) override;
  void log_speed() override;

  void make_replicas();
  void make_set(const std::vector<replicas::ReplicaStart>& starts);
  [[nodiscard]] replicas::ReplicaSet make_replica_set(
      const std::vector<replicas::ReplicaStart>& starts) const;
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
  [[nodiscard]] const topology::Topology& topology() const { return context_.topology; }
  [[nodiscard]] replicas::ReplicaStart first_start(int replica);
  [[nodiscard]] replicas::ReplicaStart make_start(system::State state, int replica) const;
  void compute(std::int64_t steps, const std::function<void()>& action);
  [[nodiscard]] io::SampleRow own_samples();
  void take_samples(const io::SampleRow& mine);
  void exchange(const io::SampleRow& mine);
  void move_replicas(const ReplicaShares& before);
  [[nodiscard]] int first() const { return shares().first_of(context_.communicator.rank()); }
  [[nodiscard]] int count() const { return shares().count_of(context_.communicator.rank()); }
  [[nodiscard]] const ReplicaShares& shares() const { return balance_->shares(); }
  void write_results(const std::optional<analysis::ChainStatistics>& chain);
  void report_most_replicas();

  const setup::SystemSetup& system_;
  std::filesystem::path input_file_;
  telemetry::SecondsClock seconds_;
  ensemble::StateExchange exchange_;
  std::optional<ReplicaBalance> balance_;
  std::optional<ExchangeOverRanks> rank_exchange_;
  double busy_seconds_ = 0,
         making_seconds_ =
             0;  // computing time since the last balancing; time of the last make_set()
  double minimising_seconds_ = 0;
  std::int64_t busy_steps_ = 0;  // steps in busy_seconds_
  setup::TimedSteps taken_;
  std::int64_t previous_engine_steps_ = 0;  // steps by engines in replaced sets, on this rank
  std::int64_t most_steps_ = 0;             // between two checks of the signals
  std::int64_t step_ = 0;
  std::size_t moved_uses_ = 0;      // uses of device::moving_order whose arrays are on the host
  std::int64_t most_replicas_ = 0;  // largest number on this rank so far
  std::optional<replicas::ReplicaSet> replicas_;
  ReplicaVerification verification_;
  std::optional<EnsembleObservation> observation_;
  std::optional<ChainObservation> chain_;
  std::optional<io::SampleFile> samples_;  // rank 0
  std::optional<ReplicaTrajectories> trajectories_;
  io::SampleRow latest_;  // rank 0: the last sample of all replicas
};

}  // namespace nfold::ensemble
