// Text of a Chrome trace, parsed again.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/chrome_trace.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nfold::telemetry {
namespace {

using Json = nlohmann::json;

TEST(ChromeTrace, HasATrackForEachRank) {
  ChromeTrace trace("nfold a \"name\"");
  const std::vector<TracedSpan> first{{1'500, 2'000, 7, Phase::steps, 0},
                                      {2'000, 250, -1, Phase::wait, 1}};
  trace.add_track(0, "rank 0", first, {"a sum"});
  trace.add_track(3, "rank 3 node7", {}, {});
  const auto events = Json::parse(trace.text()).at("traceEvents");
  ASSERT_EQ(events.size(), 1 + 2 * 2 + 2U);
  EXPECT_EQ(events[0]["args"]["name"], "nfold a \"name\"");
  EXPECT_EQ(events[1]["name"], "thread_name");
  EXPECT_EQ(events[1]["args"]["name"], "rank 0");
  const auto& steps = events[3];
  EXPECT_EQ(steps["ph"], "X");
  EXPECT_EQ(steps["name"], "steps");
  EXPECT_EQ(steps["tid"], 0);
  EXPECT_DOUBLE_EQ(steps["ts"], 1.5);
  EXPECT_DOUBLE_EQ(steps["dur"], 2);
  EXPECT_EQ(steps["args"]["step"], 7);
  EXPECT_EQ(events[4]["args"]["call"], "a sum");
  EXPECT_FALSE(events[4]["args"].contains("step"));
  EXPECT_EQ(events[5]["tid"], 3);
}

TEST(ChromeTrace, SpansMayHaveOwnNames) {
  ChromeTrace trace("nfold batch");
  trace.begin_track(5, "rank 1, beside: 1", 65);
  trace.add_span(5, "a \"target\"", 1'000, 2'001);
  const auto events = Json::parse(trace.text()).at("traceEvents");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[2]["args"]["sort_index"], 65);
  EXPECT_EQ(events[3]["name"], "a \"target\"");
  EXPECT_EQ(events[3]["cat"], "target");
  EXPECT_EQ(events[3]["tid"], 5);
  EXPECT_DOUBLE_EQ(events[3]["dur"], 2.001);
}

TEST(ChromeTrace, IsValidWithoutTracks) {
  EXPECT_EQ(Json::parse(ChromeTrace("nothing").text()).at("traceEvents").size(), 1U);
}

}  // namespace
}  // namespace nfold::telemetry
