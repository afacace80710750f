// Session of a fake system: order of events and checkpoints, explosions and silent errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <future>

#include "core/signals.hpp"
#include "engine/engine.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::common {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Session of one residue, with blocks of ten steps.
class FakeSession final : public Session {
 public:
  explicit FakeSession(const SessionContext& context) : Session(context, "residues", 1) {}

  [[nodiscard]] std::int64_t step() const override { return step_; }

  std::vector<std::string> calls;
  std::int64_t explosion_step = -1;
  bool is_disk_full = false;  // while steps after the first checkpoint are computed
  bool has_majority = true;   // member of each SilentError

 private:
  [[nodiscard]] std::int64_t next_block_end() const override { return step_ + 10; }
  void advance(std::int64_t steps) override {
    if (step_ + steps == explosion_step) {
      explosion_.set_value();
      throw engine::ExplosionError("explodes");
    }
    step_ += steps;
    note("advance");
  }
  [[nodiscard]] std::optional<SilentError> advance_verified(std::int64_t steps) override {
    advance(steps);
    ++verified_.blocks;
    ++verified_.errors;
    return SilentError{step_ - steps, step_, has_majority, {}, "details"};
  }
  [[nodiscard]] const VerificationTotals& verified() const override { return verified_; }
  [[nodiscard]] std::string save_last_good_state() override {
    return "; last: " + std::to_string(checkpointed_step_) + finish_checkpoint_after_failure();
  }
  void rebalance() override { note("rebalance"); }
  void handle_events() override { note("events"); }
  void describe_progress(telemetry::ProgressSample& /*sample*/) override {}
  [[nodiscard]] std::int64_t own_units() const override { return 1; }
  [[nodiscard]] double step_time_ratio(int /*ranks*/) const override { return 1; }
  [[nodiscard]] CheckpointContent checkpoint_content() override {
    note("content");
    CheckpointContent content;
    content.header.residue_count = 1;
    content.header.step = step_;
    content.header.provenance = {{"host", "here"}};
    system::State state;
    state.step = step_;
    state.id = {0};
    state.position.resize(1);
    state.velocity.resize(1);
    content.fetch_rows = [state, waits = explosion_step >= 0 && step_ > 0, fails = is_disk_full,
                          exploded = exploded_] {
      if (waits) exploded.wait();
      if (waits && fails) throw storage::FileError("the disk is full");
      return system::StateSource(state);
    };
    return content;
  }
  void sync_files() override { note("sync"); }
  void write_checkpointed_results() override { note("results"); }
  void finish_files(bool /*with_results*/) override { note("finish"); }
  void log_speed() override {}

  void note(const std::string& call) { calls.push_back(call + " " + std::to_string(step_)); }

  std::int64_t step_ = 0;
  VerificationTotals verified_;
  std::promise<void> explosion_;
  std::shared_future<void> exploded_ = explosion_.get_future().share();
};

class FakeSystem : public testing::Test {
 protected:
  FakeSystem() {
    settings_.dynamics.steps = 20;
    settings_.output.checkpoint_every_steps = 10;
    settings_.output.checkpoint_every_minutes = 0;
  }
  [[nodiscard]] SessionContext context() {
    return {.communicator = alone_,
            .devices =
                std::make_shared<device::JobDevices>(std::vector(1, comm::RankLocation()), 0, 0, 0),
            .settings = settings_,
            .topology = topology_,
            .paths = paths_,
            .log = log_,
            .clock = clock_};
  }
  /// Returns the message of the failure that ends the session.
  [[nodiscard]] static std::string run_to_failure(Session& session) {
    try {
      (void)session.run();
    } catch (const core::Failure& failure) {
      return failure.what();
    }
    return "";
  }
  [[nodiscard]] std::int64_t checkpointed_step() const {
    return io::read_checkpoint(alone_, paths_.checkpoint()).header.step;
  }

  const comm::Communicator alone_;
  test::TemporaryFolder folder_;
  status::OutputPaths paths_{folder_.path(), "fake"};
  input::Settings settings_;
  topology::Topology topology_;
  job::RunLog log_;
  telemetry::StepClock clock_;
};

TEST_F(FakeSystem, CheckpointsFollowEvents) {
  settings_.output.checkpoint_in_background = false;
  FakeSession session(context());
  EXPECT_EQ(session.run(), core::ExitCode::done);
  EXPECT_THAT(session.calls, ElementsAre("events 0", "content 0", "sync 0", "results 0",
                                         "advance 10", "rebalance 10", "events 10", "content 10",
                                         "sync 10", "results 10", "advance 20", "events 20",
                                         "content 20", "sync 20", "results 20", "finish 20"));
  EXPECT_EQ(checkpointed_step(), 20);
}

TEST_F(FakeSystem, StagesEndBlocksWhereTheCallerWants) {
  FakeSession session(context());
  session.begin();
  EXPECT_EQ(session.advance_until(7), "");
  EXPECT_EQ(session.step(), 7);
  session.write_checkpoint(paths_.checkpoint());
  EXPECT_EQ(checkpointed_step(), 7);
  EXPECT_EQ(session.advance_until(20), "");
  EXPECT_EQ(session.end(""), core::ExitCode::done);
  EXPECT_EQ(checkpointed_step(), 20);
}

TEST_F(FakeSystem, SignalStopsAStageAndIsForgottenAfterItsScope) {
  FakeSession session(context());
  session.begin();
  {
    const core::ScopedStopSignals signals;
    (void)std::raise(SIGINT);
    EXPECT_EQ(session.advance_until(20), "signal SIGINT");
    EXPECT_EQ(session.step(), 0);
  }
  EXPECT_EQ(core::stop_signal(), 0);
  EXPECT_EQ(session.advance_until(20), "");
  EXPECT_EQ(session.step(), 20);
}

TEST_F(FakeSystem, ExplosionCompletesPendingCheckpoint) {
  FakeSession session(context());
  session.explosion_step = 20;
  EXPECT_EQ(run_to_failure(session), "explodes; last: 10");
  EXPECT_EQ(session.calls.back(), "results 10");
  EXPECT_EQ(checkpointed_step(), 10);
}

TEST_F(FakeSystem, ExplosionReportsLostCheckpoint) {
  FakeSession session(context());
  session.explosion_step = 20;
  session.is_disk_full = true;
  EXPECT_THAT(run_to_failure(session), HasSubstr("the disk is full"));
  EXPECT_EQ(checkpointed_step(), 0);
  EXPECT_FALSE(std::filesystem::exists(paths_.with(".ckpt.h5.tmp")));
}

TEST_F(FakeSystem, UndecidedSilentErrorKeepsEarlierCheckpoint) {
  settings_.reliability.verify_every_steps = 10;
  FakeSession session(context());
  session.has_majority = false;
  EXPECT_THAT(run_to_failure(session), HasSubstr("the last checkpoint before them stands"));
  EXPECT_EQ(session.calls.back(), "advance 10");
  EXPECT_EQ(checkpointed_step(), 0);
  EXPECT_THAT(test::read_file(paths_.incidents()), HasSubstr("\"step\":10"));
}

TEST_F(FakeSystem, SecondSilentErrorOfOneDeviceEndsTheRun) {
  settings_.dynamics.steps = 50;
  settings_.reliability.verify_every_steps = 10;
  FakeSession session(context());
  EXPECT_THAT(run_to_failure(session), HasSubstr("it is not the first silent error"));
  EXPECT_EQ(session.step(), 20);
  EXPECT_EQ(checkpointed_step(), 20);
  EXPECT_EQ(std::ranges::count(session.calls, "rebalance 10"), 0);
  EXPECT_EQ(std::ranges::count(session.calls, "events 20"), 1);
}

}  // namespace
}  // namespace nfold::common
