// Clocks of targets that take turns on one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/clocks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

namespace nfold::batch {
namespace {

using telemetry::Phase;
using telemetry::PhaseSpan;
using telemetry::Profiler;

void sleep_milliseconds(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}
double total_seconds(const telemetry::PhaseSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

TEST(BatchClocks, SeparatesTimeOfTargetAndRank) {
  const auto began = std::chrono::steady_clock::now();
  BatchClocks clocks(comm::Communicator(), true);
  clocks.set_target_count(1);
  {
    const PhaseSpan span(Phase::ledger);
    sleep_milliseconds(2);
  }
  {
    const BatchClocks::Target target(clocks, 7, 1, "seven");
    const PhaseSpan span(Phase::analysis);
    sleep_milliseconds(4);
  }
  const auto clocked = clocks.stop();
  EXPECT_EQ(Profiler::active(), nullptr);
  ASSERT_EQ(clocked.shares.size(), 1U);
  const auto& share = clocked.shares[0];
  EXPECT_EQ(share.target, 7);
  EXPECT_EQ(share.lane, 0);
  EXPECT_GE(share.seconds[to_index(Phase::analysis)], 4e-3);
  EXPECT_GE(share.begin_ns, 2'000'000);
  EXPECT_GE(share.length_ns, 4'000'000);
  EXPECT_EQ(share.spans, 1);
  ASSERT_EQ(clocked.spans.size(), 1U);
  EXPECT_GE(clocked.spans[0].begin_ns, share.begin_ns);
  const auto own = telemetry::seconds_of_phases(clocked.without_target);
  EXPECT_GE(own[to_index(Phase::ledger)], 2e-3);
  EXPECT_EQ(own[to_index(Phase::analysis)], 0);
  EXPECT_NEAR(total_seconds(own), 1e-9 * static_cast<double>(clocked.without_target.wall), 1e-6);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  EXPECT_LE(total_seconds(own) + 1e-9 * static_cast<double>(share.length_ns),
            elapsed.count() + 1e-3)
      << "no time belongs to both";
}

TEST(BatchClocks, DividesCommonWaitByWeight) {
  BatchClocks clocks(comm::Communicator(), false);
  std::optional<BatchClocks::Target> light, heavy;
  std::optional<PhaseSpan> steps, analysis;
  const auto rank = clocks.turn();
  light.emplace(clocks, 0, 1.0, "light");
  steps.emplace(Phase::steps);
  const auto light_turn = clocks.exchange(rank);  // the light target waits
  heavy.emplace(clocks, 1, 3.0, "heavy");
  analysis.emplace(Phase::analysis);
  const auto heavy_turn = clocks.exchange(rank);
  {
    const BatchClocks::AllWait wait(clocks);
    EXPECT_EQ(Profiler::active(), nullptr);
    sleep_milliseconds(8);
    const auto no_turn = clocks.exchange(heavy_turn);
    analysis.reset();
    heavy.reset();  // gives the turn back
    clocks.exchange(no_turn);
    sleep_milliseconds(2);
    clocks.exchange(light_turn);
    steps.reset();
    light.reset();
    clocks.exchange(no_turn);
  }
  EXPECT_EQ(Profiler::active(), rank.receiver);
  const auto clocked = clocks.stop();
  ASSERT_EQ(clocked.shares.size(), 2U);
  const double analysed = clocked.shares[0].seconds[to_index(Phase::analysis)];
  const double stepped = clocked.shares[1].seconds[to_index(Phase::steps)];
  EXPECT_EQ(clocked.shares[0].target, 1);
  EXPECT_EQ(clocked.shares[0].lane, 1);
  EXPECT_GE(analysed, 6e-3);        // three quarters of 8 ms
  EXPECT_GE(stepped, 2e-3 + 2e-3);  // a quarter of 8 ms and its own wait of 2 ms
  EXPECT_GE(analysed + stepped, 10e-3);
  // All time belongs to exactly one owner.
  const double whole = 1e-9 * static_cast<double>(clocked.shares[1].length_ns);
  EXPECT_LE(analysed + stepped, whole);
  EXPECT_LT(total_seconds(telemetry::seconds_of_phases(clocked.without_target)), whole);
}

}  // namespace
}  // namespace nfold::batch
