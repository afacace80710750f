// Incident file: a line of JSON for each failure.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/incident.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace nfold::supervise {
namespace {

namespace fs = std::filesystem;

Incident incident() {
  Incident one;
  one.time = "2026-01-02T03:04:05Z";
  one.suspect = {2, "n7", "GPU-ab"};
  one.details = "rank 2 on n7 died";
  one.last_words = {"first", "broken \xff byte", "line\nbreak"};
  one.step = 1234;
  one.done = "going on";
  return one;
}

TEST(Incident, IsALineOfJson) {
  auto one = incident();
  one.recovery = {1000, {234, 1.5}, 2.5};
  const auto text = json_of(one);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("what"), "crash");
  EXPECT_EQ(json.at("rank"), 2);
  EXPECT_EQ(json.at("device"), "GPU-ab");
  EXPECT_EQ(json.at("time"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(json.at("details"), "rank 2 on n7 died");
  EXPECT_EQ(json.at("step"), 1234);
  EXPECT_EQ(json.at("last_words").size(), 3U);
  EXPECT_EQ(json.at("lost_steps"), 234);
  EXPECT_EQ(json.at("resumed_at_step"), 1000);
  EXPECT_TRUE(nlohmann::json::parse(json_of(Incident())).at("rank").is_null());
}

TEST(IncidentFile, WaitsForTheRunAndKeepsOldLines) {
  const fs::path folder =
      fs::temp_directory_path() / ("nfold_incident_" + std::to_string(getpid()));
  fs::create_directories(folder);
  IncidentFile file(folder / "x.incidents.jsonl", folder / "x.status");
  file.add(incident());
  EXPECT_EQ(file.write(), "");
  EXPECT_FALSE(fs::exists(file.path())) << "the folder is not the run's yet";
  std::ofstream(folder / "x.status") << "state: running\n";
  std::ofstream(file.path()) << "{\"of\": \"an earlier launch\"}\n";
  EXPECT_EQ(file.write(), "");
  file.add(incident());
  EXPECT_EQ(file.write(), "");
  std::ofstream(file.path(), std::ios::app) << "{\"of\": \"the run itself\"}\n";
  file.last()->recovery = {1000, {}, 1};
  EXPECT_EQ(file.write(), "");
  std::ifstream written(file.path());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(written, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].at("of"), "an earlier launch");
  EXPECT_EQ(lines[2].at("incident"), 2);
  EXPECT_TRUE(lines[2].contains("resumed_at_step"));
  EXPECT_EQ(lines[3].at("of"), "the run itself");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace nfold::supervise
