// Session of one system: the engine's steps, reports, observables and repartition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "session/common/session.hpp"
#include "session/run/balance_table.hpp"
#include "session/run/observation.hpp"
#include "session/run/repartition.hpp"
#include "session/run/verification.hpp"
#include "session/setup/frame_writer.hpp"
#include "session/setup/schedule.hpp"

namespace nfold::run {

/// Session that advances an engine.
class RunSession final : public common::Session {
 public:
  /// Collective. Opens the growing files on rank 0. Throws storage::FileError as core::Failure. The
  /// engine outlives this. speed: (ranks) relative speeds, to which work is proportional; empty:
  /// equal.
  RunSession(const common::SessionContext& context, engine::Engine& engine,
             std::vector<double> speed);

  [[nodiscard]] std::int64_t step() const override { return engine_.step(); }
  /// Means known from the observables; empty except on rank 0.
  [[nodiscard]] const std::vector<estimate::SampledMean>& means() const {
    return observation_.means();
  }
  [[nodiscard]] setup::RepartitionHistory new_maps() const { return repartition_.new_maps(); }
  [[nodiscard]] job::LoadBalanceCounts load_balance() const { return repartition_.decisions(); }

 private:
  [[nodiscard]] std::int64_t next_block_end() const override {
    return schedule_.next_block_end(step(), repartition_.next_check(step()));
  }
  void advance(std::int64_t steps) override { engine_.advance(steps); }
  [[nodiscard]] std::optional<common::SilentError> advance_verified(std::int64_t steps) override {
    return verification_.advance(engine_, steps);
  }
  [[nodiscard]] const common::VerificationTotals& verified() const override {
    return verification_.work();
  }
  [[nodiscard]] std::string save_last_good_state() override;
  void rebalance() override;
  void handle_events() override;
  [[nodiscard]] bool has_reached_goal() override { return observation_.has_reached_goal(step()); }
  void describe_progress(telemetry::ProgressSample& sample) override;
  [[nodiscard]] std::int64_t own_units() const override { return engine_.statistics().owned; }
  [[nodiscard]] double step_time_ratio(int ranks) const override {
    return static_cast<double>(context_.communicator.size()) / ranks;
  }
  [[nodiscard]] common::CheckpointContent checkpoint_content() override;
  void sync_files() override;
  void write_checkpointed_results() override { observation_.write(context_.paths.observables()); }
  void finish_files(bool with_results) override;
  void log_speed() override;

  [[nodiscard]] setup::Report write_report(const setup::DueEvents& due, bool is_at_start);
  void open_files();
  void note_saturation(const setup::Report& report);
  void note_missing_headroom(bool had_capacity);
  void export_for_vmd();
  [[nodiscard]] double time_step_ps() const { return context_.settings.dynamics.time_step_ps; }
  [[nodiscard]] double time_ps() const { return static_cast<double>(step()) * time_step_ps(); }

  engine::Engine& engine_;
  setup::Schedule schedule_;
  Repartition repartition_;
  Verification verification_;
  std::optional<setup::FrameWriter> files_;  // rank 0
  std::optional<BalanceTable> balance_;      // rank 0
  Observation observation_;
  bool has_noted_saturation_ = false, has_noted_missing_headroom_ = false;
};

}  // namespace nfold::run
