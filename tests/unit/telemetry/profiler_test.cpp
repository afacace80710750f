// Sums of phases, sampled steps and the timeline, with a clock that the test moves.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/profiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <thread>

namespace nfold::telemetry {
namespace {

std::int64_t now_ns = 0;
std::int64_t moved_clock() { return now_ns; }
void pass(std::int64_t ns) { now_ns += ns; }

class Profile : public testing::Test {
 protected:
  static ProfilerSettings settings(std::size_t kept_spans) {
    now_ns = 1'000;  // a clock need not start at 0
    return {kept_spans > 0, kept_spans, moved_clock};
  }
  static std::int64_t own(const PhaseSums& sums, Phase phase) { return sums.own[to_index(phase)]; }
  static std::int64_t total_ns(const PhaseSums& sums) {
    return std::accumulate(sums.own.begin(), sums.own.end(), std::int64_t{0}) +
           std::accumulate(sums.sampled.begin(), sums.sampled.end(), std::int64_t{0});
  }
};

TEST_F(Profile, SpansNeedNoProfiler) {
  ASSERT_EQ(Profiler::active(), nullptr);
  const PhaseSpan span(Phase::steps);
  const StepSpan step(0);
  const PartSpan part(Phase::pair);
  EXPECT_FALSE(parts_are_clocked());
}

TEST_F(Profile, PausedTimeIsExcluded) {
  Profiler profiler(settings(8));
  const ActiveProfiler active(&profiler);
  {
    const PhaseSpan output(Phase::output);
    pass(10);
    {
      const PhaseSpan steps(Phase::steps);
      pass(5);
      profiler.pause();
      pass(100);
      profiler.add_time(30);
      EXPECT_EQ(profiler.sums().wall, 45);
      profiler.resume();
      pass(1);
    }
    pass(2);
  }
  profiler.pause();
  pass(50);
  const auto sums = profiler.sums();
  EXPECT_EQ(own(sums, Phase::output), 12);
  EXPECT_EQ(own(sums, Phase::steps), 36);
  EXPECT_EQ(sums.wall, 48);
  EXPECT_EQ(profiler.timeline().at(0).length_ns, 118);  // wall-clock length
}

TEST_F(Profile, RenameMovesTheOpenPhase) {
  Profiler profiler(settings(0));
  profiler.begin(Phase::ledger);
  pass(3);
  profiler.rename(Phase::join);
  profiler.end();
  EXPECT_EQ(own(profiler.sums(), Phase::ledger), 0);
  EXPECT_EQ(own(profiler.sums(), Phase::join), 3);
}

TEST_F(Profile, PhaseExcludesNestedTime) {
  Profiler profiler(settings(0));
  const ActiveProfiler active(&profiler);
  {
    const PhaseSpan output(Phase::output);
    pass(10);
    {
      const PhaseSpan analysis(Phase::analysis);
      pass(5);
      profiler.waited(Phase::wait, "a sum", now_ns, now_ns + 3);
      pass(3);
    }
    pass(2);
  }
  pass(4);  // in no phase
  const auto sums = profiler.sums();
  EXPECT_EQ(own(sums, Phase::output), 12);
  EXPECT_EQ(own(sums, Phase::analysis), 5);
  EXPECT_EQ(own(sums, Phase::wait), 3);
  EXPECT_EQ(sums.waited[to_index(Phase::output)], 3);
  EXPECT_EQ(sums.waited[to_index(Phase::analysis)], 0);
  EXPECT_EQ(sums.wall, 24);
  EXPECT_EQ(total_ns(sums), 20);
  const auto seconds = seconds_of_phases(sums);
  EXPECT_DOUBLE_EQ(seconds[to_index(Phase::other)], 4e-9);
  EXPECT_DOUBLE_EQ(std::accumulate(seconds.begin(), seconds.end(), 0.0), 24e-9);
}

TEST_F(Profile, OpenSpansCount) {
  Profiler profiler(settings(0));
  profiler.begin(Phase::steps);
  pass(7);
  profiler.begin(Phase::lists);
  pass(2);
  const auto sums = profiler.sums();
  EXPECT_EQ(own(sums, Phase::steps), 7);
  EXPECT_EQ(own(sums, Phase::lists), 2);
  EXPECT_EQ(total_ns(sums), sums.wall);
}

TEST_F(Profile, ErrorEndsItsSpans) {
  Profiler profiler(settings(0));
  const ActiveProfiler active(&profiler);
  try {
    const PhaseSpan steps(Phase::steps);
    const PhaseSpan lists(Phase::lists);
    pass(3);
    throw std::runtime_error("an error");
  } catch (const std::runtime_error&) {
    pass(2);
  }
  const auto sums = profiler.sums();
  EXPECT_EQ(own(sums, Phase::lists), 3);
  EXPECT_EQ(total_ns(sums), 3);
}

/// A step of 100 ns with parts that the profiler may see; lists are made in one of eight.
void make_step(std::int64_t step) {
  const StepSpan span(step);
  {
    const PartSpan part(Phase::integrate);
    pass(20);
  }
  if (step % 8 == 0) {
    const PhaseSpan lists(Phase::lists);
    pass(80);
  }
  {
    const PartSpan part(Phase::pair);
    pass(70);
  }
  pass(10);  // in no part
}

TEST_F(Profile, SampledStepsRepresentAll) {
  Profiler profiler(settings(64));
  const ActiveProfiler active(&profiler);
  std::int64_t step = 0;
  for (int block = 0; block < 4; ++block) {
    const PhaseSpan steps(Phase::steps);
    for (int i = 0; i < 1000; ++i) make_step(step++);
  }
  const auto sums = profiler.sums();
  // The first block samples one step in 16. Later blocks sample one in 2^15 (4 ms), none of these.
  EXPECT_EQ(sums.sampled_steps, 63);
  EXPECT_EQ(own(sums, Phase::lists), 500 * 80);
  EXPECT_EQ(sums.sampled[to_index(Phase::pair)], 63 * 70);
  EXPECT_EQ(sums.sampled[to_index(Phase::integrate)], 63 * 20);
  EXPECT_EQ(total_ns(sums), sums.wall);
  const auto seconds = seconds_of_phases(sums);
  EXPECT_DOUBLE_EQ(seconds[to_index(Phase::steps)], 0);
  EXPECT_NEAR(seconds[to_index(Phase::pair)], 4000 * 100e-9 * 7 / 9, 1e-12);
  EXPECT_NEAR(seconds[to_index(Phase::integrate)], 4000 * 100e-9 * 2 / 9, 1e-12);
  EXPECT_NEAR(seconds[to_index(Phase::lists)], 500 * 80e-9, 1e-12);
}

TEST_F(Profile, LongStepsAreAllSampled) {
  Profiler profiler(settings(64));
  const ActiveProfiler active(&profiler);
  for (int block = 0; block < 3; ++block) {
    const PhaseSpan steps(Phase::steps);
    for (int i = 0; i < 16; ++i) {
      const StepSpan step(16 * block + i);
      const PartSpan part(Phase::pair);
      pass(10'000'000);
    }
  }
  EXPECT_EQ(profiler.sums().sampled_steps, 1 + 16 + 16);
}

TEST_F(Profile, StepsStayWholeWithoutTimeline) {
  Profiler profiler(settings(0));
  const ActiveProfiler active(&profiler);
  {
    const PhaseSpan steps(Phase::steps);
    for (int step = 0; step < 100; ++step) make_step(step);
  }
  const auto sums = profiler.sums();
  EXPECT_EQ(sums.sampled_steps, 0);
  EXPECT_DOUBLE_EQ(seconds_of_phases(sums)[to_index(Phase::steps)], 100 * 100e-9);
  EXPECT_TRUE(profiler.timeline().empty());
}

TEST_F(Profile, PartsAreClockedInSampledStepsOnly) {
  Profiler profiler(settings(64));
  const ActiveProfiler active(&profiler);
  const PhaseSpan steps(Phase::steps);
  {
    const StepSpan clocked(0);
    EXPECT_TRUE(parts_are_clocked());
    const PhaseSpan lists(Phase::lists);
    EXPECT_FALSE(parts_are_clocked());
  }
  const StepSpan next(1);
  EXPECT_FALSE(parts_are_clocked());
}

TEST_F(Profile, OtherThreadsAreNotClocked) {
  Profiler profiler(settings(0));
  const ActiveProfiler active(&profiler);
  std::thread([] { EXPECT_EQ(Profiler::active(), nullptr); }).join();
  {
    const ActiveProfiler none(nullptr);
    EXPECT_EQ(Profiler::active(), nullptr);
  }
  EXPECT_EQ(Profiler::active(), &profiler);
}

/// Each span lies within the previous one or begins after it, and some lie within another.
void expect_nested(const std::vector<TracedSpan>& spans) {
  std::vector<std::int64_t> ends;
  int nested = 0;
  for (const auto& span : spans) {
    const auto end = span.begin_ns + span.length_ns;
    while (!ends.empty() && ends.back() <= span.begin_ns) ends.pop_back();
    if (!ends.empty()) {
      EXPECT_LE(end, ends.back());
      ++nested;
    }
    ends.push_back(end);
  }
  EXPECT_GT(nested, 0);
}

TEST_F(Profile, TimelineIsBoundedAndCoversTheRun) {
  constexpr std::size_t kept = 64;
  Profiler profiler(settings(kept));
  const ActiveProfiler active(&profiler);
  std::int64_t step = 0;
  for (int block = 0; block < 5000; ++block) {
    {
      const PhaseSpan steps(Phase::steps, step);
      for (int i = 0; i < 16; ++i) make_step(step++);
    }
    const PhaseSpan output(Phase::output, step);
    pass(30);
    profiler.waited(Phase::wait, block % 2 == 0 ? "a sum" : "a barrier", now_ns - 10, now_ns);
  }
  const auto spans = profiler.timeline();
  EXPECT_LE(spans.size(), 5 * kept);  // steps, their parts, lists, output and waits
  expect_nested(spans);
  std::int64_t first = now_ns, last = 0;
  for (const auto& span : spans) {
    if (span.phase != Phase::output) continue;
    first = std::min(first, span.begin_ns);
    last = std::max(last, span.begin_ns);
  }
  EXPECT_LT(first, now_ns / 10);
  EXPECT_GT(last, now_ns - now_ns / 10);
  EXPECT_THAT(profiler.calls(), testing::ElementsAre("a sum", "a barrier"));
}

TEST_F(Profile, LongWaitsAreAlwaysRecorded) {
  Profiler profiler(settings(64));
  const ActiveProfiler active(&profiler);
  {
    const PhaseSpan steps(Phase::steps);
    for (const std::int64_t ns : {100, 2'000'000}) {
      const StepSpan step(1);
      pass(ns);
      profiler.waited(Phase::wait, "an exchange", now_ns - ns, now_ns);
    }
  }
  const auto spans = profiler.timeline();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[1].phase, Phase::wait);
  EXPECT_EQ(spans[1].length_ns, 2'000'000);
  EXPECT_EQ(profiler.sums().own[to_index(Phase::wait)], 2'000'100);
}

std::vector<std::string> regions;

TEST_F(Profile, ToolsReceiveLaterSpans) {
  regions.clear();
  Profiler profiler(settings(0));
  profiler.begin(Phase::start);
  profiler.report_to(
      {[](const char* name) { regions.emplace_back(name); }, [] { regions.emplace_back("."); }});
  profiler.begin(Phase::plan);
  profiler.end();
  profiler.end();
  EXPECT_THAT(regions, testing::ElementsAre("plan", "."));
}

TEST_F(Profile, ToolsReceiveNestedRegions) {
  regions.clear();
  const RegionTools tools{[](const char* name) { regions.emplace_back(name); },
                          [] { regions.emplace_back("."); }};
  Profiler rank(settings(0)), target(settings(0));
  rank.report_to(tools);
  target.pause();
  target.report_to(tools, "ubiquitin");
  rank.begin(Phase::ledger);
  rank.pause();
  target.resume();
  target.begin(Phase::steps);
  target.pause();
  rank.resume();
  rank.end();
  rank.pause();
  target.resume();
  target.end();
  target.pause();
  EXPECT_THAT(regions, testing::ElementsAre("ledger", ".", "ubiquitin", "steps", ".", ".", "ledger",
                                            ".", "ubiquitin", "steps", ".", "."));
}

TEST(Phases, HaveUniqueNames) {
  std::vector<std::string> names;
  for (std::size_t phase_index = 0; phase_index < phase_count; ++phase_index) {
    names.emplace_back(phase_name(static_cast<Phase>(phase_index)));
  }
  EXPECT_EQ(names.front(), "start");
  EXPECT_EQ(names[to_index(Phase::wait)], "wait");
  EXPECT_EQ(names.back(), "other");
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Phases, DeviceTimeIsDistributedByWeights) {
  PhaseSeconds seconds{}, weights{};
  seconds[to_index(Phase::device)] = 10;
  seconds[to_index(Phase::wait)] = 1;
  weights[to_index(Phase::pair)] = 3;
  weights[to_index(Phase::integrate)] = 1;
  auto unseen = seconds;
  distribute_device_time(unseen, {}, 0.8);
  EXPECT_EQ(unseen, seconds);
  distribute_device_time(seconds, weights, 0.8);
  EXPECT_DOUBLE_EQ(seconds[to_index(Phase::pair)], 6);
  EXPECT_DOUBLE_EQ(seconds[to_index(Phase::integrate)], 2);
  EXPECT_DOUBLE_EQ(seconds[to_index(Phase::wait)], 3);
  EXPECT_DOUBLE_EQ(seconds[to_index(Phase::device)], 0);
}

}  // namespace
}  // namespace nfold::telemetry
