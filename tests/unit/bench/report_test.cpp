// Selection, tables and files of the benchmark suite, with failed systems.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "cli/bench/choice.hpp"
#include "cli/bench/rows.hpp"
#include "cli/bench/suite.hpp"
#include "cli/bench/table.hpp"
#include "core/input_error.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

testing::Environment* const kokkos = test::start_kokkos();

constexpr std::int64_t gigabyte = 1'000'000'000;

std::vector<std::string> system_names(const std::vector<BenchSystem>& systems) {
  std::vector<std::string> names;
  names.reserve(systems.size());
  for (const auto& system : systems) names.push_back(system.name);
  return names;
}

BenchResult measured(const std::string& system, const std::vector<double>& speeds) {
  BenchResult result;
  result.system = system;
  result.residues = 1000;
  result.chains = 10;
  result.time_step_ps = 0.01;
  for (const double speed : speeds) result.measurement.blocks.push_back({100, 100 / speed, 4, 1});
  result.build_seconds = 1.5;
  result.warm_up_seconds = 2;
  result.measurement.skin_nm = 0.25;
  result.measurement.pair_entries = 150'000;
  result.measurement.memory_bytes = 2'000'000;
  result.measurement.parts = {{"forces", 80.5}, {"lists", 900}, {"integrate", 2.25}};
  return result;
}

BenchReport make_report(std::vector<BenchResult> results, int ranks = 1) {
  BenchReport report;
  report.context = {
      "2026-11-21T20:00:00Z", "host", "OpenMP, 2 threads", "0.1.0", ranks, "mixed", ""};
  report.results = std::move(results);
  report.left_out = {{"condensate-16m", "takes long"}};
  return report;
}

BenchResult failed(const std::string& system, const std::string& reason) {
  BenchResult result;
  result.system = system;
  result.residues = 1000;
  result.reason = reason;
  return result;
}

TEST(BenchSuite, HasUniqueNames) {
  std::set<std::string> names;
  for (const auto& system : bench_suite()) {
    EXPECT_TRUE(names.insert(system.name).second) << system.name;
    EXPECT_GT(system.residues, 0);
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"go-ubq", "go-ubq-1.1nm", "go-10k", "condensate-10k",
                                            "condensate-20k", "condensate-100k", "condensate-250k",
                                            "condensate-1m", "condensate-4m", "condensate-16m",
                                            "condensate-50m", "droplets-300k", "droplets-2570k"}));
}

TEST(BenchChoice, SelectsByNameInSuiteOrder) {
  EXPECT_THAT(system_names(chosen_systems({"condensate-1m", "go-ubq", "go-ubq"})),
              ElementsAre("go-ubq", "condensate-1m"));
  EXPECT_THAT([] { (void)chosen_systems({"condensate-1n"}); },
              ThrowsMessage<core::InputError>(HasSubstr("condensate-1m")));
}

TEST(BenchChoice, ExcludesSlowOrTooLargeSystems) {
  const auto taken = [](const Capacity& capacity) {
    std::vector<std::string> names;
    for (const auto& system : bench_suite()) {
      if (why_left_out(system, capacity).empty()) names.push_back(system.name);
    }
    return names;
  };
  EXPECT_THAT(taken({false, 1, 16 * gigabyte, 16 * gigabyte}),
              ElementsAre("go-ubq", "go-ubq-1.1nm", "go-10k", "condensate-10k", "condensate-20k"));
  const auto on_h200 = taken({true, 1, 140 * gigabyte, 120 * gigabyte});
  EXPECT_THAT(on_h200, testing::Contains("condensate-4m"));
  EXPECT_THAT(on_h200, testing::Not(testing::Contains("condensate-16m")));
  EXPECT_THAT(on_h200, testing::IsSupersetOf({"go-ubq-alone", "go-ubq-1056", "go-ubq-4224"}));
  EXPECT_THAT(taken({true, 4, 140 * gigabyte, 120 * gigabyte}),
              testing::Not(testing::Contains("go-ubq-alone")));
  EXPECT_THAT(taken({true, 4, 140 * gigabyte, 120 * gigabyte}),
              testing::Contains("condensate-16m"));
  EXPECT_THAT(taken({true, 1, gigabyte, 120 * gigabyte}),
              testing::Not(testing::Contains("condensate-1m")));
}

TEST(BenchChoice, NamesExhaustedMemory) {
  const auto& largest = bench_suite().back();
  EXPECT_THAT(why_impossible(largest, {true, 1, gigabyte, 100 * gigabyte}),
              HasSubstr("GPU memory"));
  EXPECT_THAT(why_impossible(largest, {true, 1, 100 * gigabyte, gigabyte}),
              HasSubstr("host memory"));
  EXPECT_EQ(why_impossible(largest, {true, 1, 100 * gigabyte, 100 * gigabyte}), "");
}

TEST(BenchRows, AreCompleteInJson) {
  const auto document = nlohmann::json::parse(
      json_text(make_report({measured("go-ubq", {10, 30}), failed("go-10k", "out of memory")})));
  const auto& rows = document.at("measurements");
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) {
    for (const char* name : {"date", "host", "device", "version", "ranks", "precision", "system"}) {
      EXPECT_FALSE(row.at(name).is_null()) << name;
    }
  }
  EXPECT_EQ(rows[1].at("repeat"), 2);
  EXPECT_DOUBLE_EQ(rows[1].at("steps_per_second"), 30);
  EXPECT_DOUBLE_EQ(rows[1].at("ns_per_day"), 30 * 0.01 * 86400 / 1000);
  EXPECT_EQ(rows[1].at("list_entries_per_residue"), 150);
  EXPECT_EQ(rows[1].at("forces_us"), 80.5);
  EXPECT_EQ(rows[1].at("lists_us"), 900);
  EXPECT_EQ(rows[1].at("integrate_us"), 2.25);
  EXPECT_EQ(rows[2].at("status"), "failed");
  EXPECT_EQ(rows[2].at("reason"), "out of memory");
  EXPECT_TRUE(rows[2].at("steps_per_second").is_null());
  EXPECT_TRUE(rows[2].at("forces_us").is_null());
  EXPECT_EQ(document.at("left_out").at(0).at("system"), "condensate-16m");
}

TEST(BenchRows, AreCompleteInCsv) {
  const auto text =
      csv_text(make_report({measured("go-ubq", {10}), failed("go-10k", "no \"room\",\nnone")}));
  EXPECT_THAT(text, HasSubstr("date,host,device,version,ranks,precision,"));
  EXPECT_THAT(
      text,
      HasSubstr("\n2026-11-21T20:00:00Z,host,\"OpenMP, 2 threads\",0.1.0,1,mixed,,"
                "go-ubq,1000,10,0,0.01,measured,,1,100,10.0,10.0,,8.64,4,1,,,,,,,0,0.0,0.25,150.0,"
                "2000.0,80.5,900.0,2.25,,,"));
  EXPECT_THAT(text, HasSubstr(",failed,\"no \"\"room\"\", none\",,"));
}

TEST(BenchRows, CountStepsOfAllReplicas) {
  auto result = measured("go-ubq-1056", {10});
  result.replicas = 1056;
  const auto document = nlohmann::json::parse(json_text(make_report({result})));
  EXPECT_EQ(document.at("measurements").at(0).at("replicas"), 1056);
  EXPECT_EQ(document.at("measurements").at(0).at("replica_steps_per_second"), 10'560);
}

TEST(BenchRows, LeaveUnmeasuredPartsEmpty) {
  auto result = measured("go-ubq", {10});
  result.measurement.parts.clear();
  const auto report = make_report({result}, 2);
  const auto document = nlohmann::json::parse(json_text(report));
  for (const char* name :
       {"forces_us", "lists_us", "integrate_us", "exchange_us", "forces_with_float_sums_us"}) {
    EXPECT_TRUE(document.at("measurements").at(0).at(name).is_null()) << name;
  }
  EXPECT_THAT(csv_text(report), HasSubstr(",memory_bytes_per_residue,forces_us,lists_us,"
                                          "integrate_us,exchange_us,forces_with_float_sums_us,"
                                          "temperature_kelvin,"));
  EXPECT_THAT(csv_text(report), HasSubstr(",2000.0,,,,,,0.0,"));
  EXPECT_THAT(table_line(report.context, result, nullptr), testing::Not(HasSubstr("one alone")));
}

TEST(BenchRows, HoldTimesOfMeasuredTransports) {
  auto result = measured("go-ubq", {10});
  result.measurement.transport = "peer memory";
  result.measurement.transport_trials = {{comm::Transport::peer_memory, "", {4, 9}},
                                         {comm::Transport::nccl, "its trial failed", {}},
                                         {comm::Transport::mpi, "", {64, 100}}};
  const auto report = make_report({result}, 2);
  const auto document = nlohmann::json::parse(json_text(report));
  const auto& row = document.at("measurements").at(0);
  EXPECT_NEAR(row.at("peer_memory_trial_us").get<double>(), 6, 1e-9);
  EXPECT_NEAR(row.at("mpi_trial_us").get<double>(), 80, 1e-9);
  EXPECT_TRUE(row.at("peer_memory_and_nccl_trial_us").is_null());
  EXPECT_TRUE(row.at("nccl_trial_us").is_null());
  EXPECT_TRUE(row.at("mpi_device_trial_us").is_null());
}

TEST(BenchAgainst, ReadsJsonAndCsv) {
  auto results = {measured("go-ubq", {10, 30, 20}), failed("go-10k", "a, \"b\"\nc"),
                  measured("condensate-10k", {7})};
  for (const auto& text : {json_text(make_report(results)), csv_text(make_report(results))}) {
    const EarlierSpeeds earlier(text, "before");
    EXPECT_EQ(earlier.find("go-ubq", "mixed")->steps_per_second, 20);
    EXPECT_EQ(earlier.find("go-ubq", "mixed")->ranks, 1);
    EXPECT_DOUBLE_EQ(earlier.find("condensate-10k", "mixed")->steps_per_second, 7);
    EXPECT_FALSE(earlier.find("go-10k", "mixed").has_value());
    EXPECT_FALSE(earlier.find("go-ubq", "double").has_value());
  }
}

TEST(BenchAgainst, UsesFewestRanks) {
  auto text = csv_text(make_report({measured("go-ubq", {40})}, 4));
  const auto one_rank = csv_text(make_report({measured("go-ubq", {10})}, 1));
  text += one_rank.substr(one_rank.find('\n') + 1);
  const EarlierSpeeds earlier(text, "before");
  EXPECT_EQ(earlier.find("go-ubq", "mixed")->steps_per_second, 10);
  EXPECT_EQ(earlier.find("go-ubq", "mixed")->ranks, 1);
}

TEST(BenchAgainst, RefusesOtherFiles) {
  const auto message = HasSubstr("--against other");
  for (const char* text : {"", "{", "{}", "a,b\n1,2\n", "{\"measurements\": []}"}) {
    EXPECT_THAT([text] { const EarlierSpeeds earlier(text, "other"); },
                ThrowsMessage<core::InputError>(message))
        << text;
  }
  const char* const text = "status,system,precision\nleft out,a,mixed\nmeasured,b,mixed\n";
  EXPECT_THAT(
      [text] { const EarlierSpeeds earlier(text, "other"); },
      ThrowsMessage<core::InputError>(HasSubstr("measurement 2 has no 'steps_per_second'")));
}

TEST(BenchTable, ShowsMedianSpreadAndEfficiency) {
  const EarlierSpeeds earlier(json_text(make_report({measured("go-ubq", {1000})})), "before");
  const auto now = make_report({measured("go-ubq", {1500, 1400, 1600})}, 2);
  const auto line = table_line(now.context, now.results[0], &earlier);
  for (const char* cell : {" 1,500 ", " 13.3 % ", " 1,296 ", " 0.250 ", " 150.0 ", " 25.0 ",
                           " 2,000 ", " 3.5 ", " 1.50 ", " 75 % ", "OpenMP, 2 threads"}) {
    EXPECT_THAT(line, HasSubstr(cell));
  }
  EXPECT_THAT(line, HasSubstr("one alone: forces 80.5 us lists 900 us integrate 2.25 us\n"));
  EXPECT_THAT(table_header(now.context, &earlier), HasSubstr("efficiency"));
  EXPECT_THAT(table_header(now.context, nullptr), testing::Not(HasSubstr("efficiency")));
  EXPECT_THAT(table_line(now.context, failed("go-10k", "no room"), nullptr),
              HasSubstr("failed: no room"));
}

TEST(BenchMeasure, MedianAveragesMiddlePair) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

SuiteOptions short_options() {
  SuiteOptions options;
  options.timing = {0.01, 2};
  options.warm_up_steps = 20;
  return options;
}

TEST(BenchSystems, AreMeasured) {
  const auto result =
      measure_system(comm::Communicator(), condensate_system("small", 1200), short_options());
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.chains, 8);
  EXPECT_EQ(result.measurement.blocks.size(), 2U);
  EXPECT_GT(result.measurement.median_steps_per_second(), 0);
  EXPECT_GT(result.measurement.pair_entries, 0);
  EXPECT_GT(result.measurement.memory_bytes, 0);
  EXPECT_GT(result.measurement.skin_nm, 0);
  const auto report = make_report({result});
  const auto row = nlohmann::json::parse(json_text(report)).at("measurements").at(0);
  ASSERT_EQ(result.measurement.parts.size(), 3U);
  for (const auto& part : result.measurement.parts) EXPECT_GT(row.at(part.name + "_us"), 0);
}

TEST(BenchSystems, FailuresBecomeRows) {
  auto system = condensate_system("broken", 300);
  system.build = [](const input::Settings&) -> BuiltSystem { throw std::bad_alloc(); };
  EXPECT_THAT(measure_system(comm::Communicator(), system, short_options()).reason,
              HasSubstr("out of host memory while building the system broken"));
  system.residues = std::int64_t{1} << 40U;
  EXPECT_THAT(measure_system(comm::Communicator(), system, short_options()).reason,
              HasSubstr("is free"));
}

}  // namespace
}  // namespace nfold::bench
