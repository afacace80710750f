// Whose time it is that passes, where targets of one rank have their turns.
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

void pass(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}
double sum_of(const telemetry::PhaseSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

TEST(BatchClocks, ATargetHasItsOwnTimeAndTheRankTheRest) {
  BatchClocks clocks(comm::Communicator(), true);
  clocks.expect(1);
  {
    const PhaseSpan span(Phase::ledger);
    pass(2);
  }
  {
    const BatchClocks::Target target(clocks, 7, 1, "seven");
    const PhaseSpan span(Phase::analysis);
    pass(4);
  }
  const auto clocked = clocks.stop();
  EXPECT_EQ(Profiler::active(), nullptr);
  ASSERT_EQ(clocked.shares.size(), 1U);
  const auto& share = clocked.shares[0];
  EXPECT_EQ(share.target, 7);
  EXPECT_EQ(share.lane, 0);
  EXPECT_GE(share.seconds[place_of(Phase::analysis)], 4e-3);
  EXPECT_GE(share.begin_ns, 2'000'000);
  EXPECT_GE(share.length_ns, 4'000'000);
  EXPECT_EQ(share.spans, 1);
  ASSERT_EQ(clocked.spans.size(), 1U);
  EXPECT_GE(clocked.spans[0].begin_ns, share.begin_ns);
  const auto own = telemetry::seconds_of_phases(clocked.without_target);
  EXPECT_GE(own[place_of(Phase::ledger)], 2e-3);
  EXPECT_EQ(own[place_of(Phase::analysis)], 0);
  EXPECT_NEAR(sum_of(own) + 1e-9 * static_cast<double>(share.length_ns),
              1e-9 * static_cast<double>(clocked.without_target.wall + share.length_ns), 1e-6);
}

TEST(BatchClocks, WhatPassesWhileAllWaitIsSharedOutByWeight) {
  BatchClocks clocks(comm::Communicator(), false);
  std::optional<BatchClocks::Target> light, heavy;
  std::optional<PhaseSpan> steps, analysis;
  const auto rank = clocks.turn();
  light.emplace(clocks, 0, 1.0, "light");
  steps.emplace(Phase::steps);
  const auto of_light = clocks.exchange(rank);  // it waits
  heavy.emplace(clocks, 1, 3.0, "heavy");
  analysis.emplace(Phase::analysis);
  const auto of_heavy = clocks.exchange(rank);
  {
    const BatchClocks::AllWait wait(clocks);
    EXPECT_EQ(Profiler::active(), nullptr);
    pass(8);
    const auto none = clocks.exchange(of_heavy);
    analysis.reset();
    heavy.reset();  // which gives the turn back to whose it was
    clocks.exchange(none);
    pass(2);
    clocks.exchange(of_light);
    steps.reset();
    light.reset();
    clocks.exchange(none);
  }
  EXPECT_EQ(Profiler::active(), rank.told);
  const auto clocked = clocks.stop();
  ASSERT_EQ(clocked.shares.size(), 2U);
  const double analysed = clocked.shares[0].seconds[place_of(Phase::analysis)];
  const double stepped = clocked.shares[1].seconds[place_of(Phase::steps)];
  EXPECT_EQ(clocked.shares[0].target, 1);
  EXPECT_EQ(clocked.shares[0].lane, 1);
  EXPECT_GE(analysed, 6e-3);        // three quarters of 8 ms
  EXPECT_GE(stepped, 2e-3 + 2e-3);  // a quarter of them, and what it waited alone
  EXPECT_GE(analysed + stepped, 10e-3);
  // All of it is somebody's, once.
  const double whole = 1e-9 * static_cast<double>(clocked.shares[1].length_ns);
  EXPECT_LE(analysed + stepped, whole);
  EXPECT_LT(sum_of(telemetry::seconds_of_phases(clocked.without_target)), whole);
}

}  // namespace
}  // namespace nfold::batch
