// Splits of work over devices by strategy, with their times and tables.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/device_splits.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "device/hardware/inventory.hpp"

namespace nfold::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

hardware::Gpu make_gpu(int index, const char* name, double gigabytes, int units) {
  hardware::Gpu gpu;
  gpu.index = index;
  gpu.name = name;
  gpu.uuid = "GPU-" + std::to_string(index);
  gpu.memory_total_bytes = static_cast<std::int64_t>(gigabytes * 1e9);
  gpu.memory_free_bytes = gpu.memory_total_bytes;
  gpu.compute_units = units;
  return gpu;
}

/// Node with an H100 and a laptop GPU with an eighth of its multiprocessors.
hardware::NodeInventory unequal_node() {
  hardware::NodeInventory node;
  node.host = "n1";
  node.gpus = {make_gpu(0, "NVIDIA H100 80GB HBM3", 80, 132),
               make_gpu(1, "NVIDIA GeForce RTX 2050", 4.295, 16)};
  return node;
}

std::vector<std::int64_t> strategy_units(const DeviceSplits& splits, core::SplitStrategy strategy) {
  return splits.strategies.at(static_cast<std::size_t>(strategy)).split.value().units;
}

TEST(DeviceSplits, UseScoresWithoutSpeeds) {
  const std::vector nodes{unequal_node()};
  const auto splits = split_over_devices({.units = 10'000}, nodes);
  EXPECT_FALSE(splits.has_seconds());
  EXPECT_THAT(strategy_units(splits, core::SplitStrategy::equal), ElementsAre(5000, 5000));
  const auto by_score = strategy_units(splits, core::SplitStrategy::score);
  EXPECT_THAT(by_score, ElementsAre(8919, 1081));
  EXPECT_EQ(strategy_units(splits, core::SplitStrategy::measured_speed), by_score);
  const auto text = table_text(splits);
  EXPECT_THAT(text, HasSubstr("lowest-latency fall back on scores"));
  EXPECT_THAT(text, HasSubstr("times are relative"));
  EXPECT_THAT(text, HasSubstr("8919 in 0.22"));
  const auto json = json_of(splits);
  EXPECT_EQ(json["strategies"][1]["falls_back_on_scores"], false);
  EXPECT_EQ(json["strategies"][4]["falls_back_on_scores"], true);
  EXPECT_TRUE(json["strategies"][4]["seconds"].is_null());
  EXPECT_EQ(json["strategies"][0]["relative_times"][1], 1.0);
}

TEST(DeviceSplits, AccountForUseAndThrottling) {
  hardware::NodeInventory node;
  node.gpus = {make_gpu(0, "NVIDIA H100 80GB HBM3", 80, 132),
               make_gpu(1, "NVIDIA H100 80GB HBM3", 80, 132),
               make_gpu(2, "NVIDIA H100 80GB HBM3", 80, 132)};
  node.gpus[1].utilisation = 0.75;
  node.gpus[2].clock_mhz = 990;
  node.gpus[2].most_clock_mhz = 1980;
  node.gpus[2].throttle_reasons = std::vector<std::string>{"hardware slowdown"};
  const auto splits = split_over_devices({.units = 7000}, std::vector{node});
  EXPECT_THAT(strategy_units(splits, core::SplitStrategy::score), ElementsAre(4000, 1000, 2000));
}

TEST(DeviceSplits, UseMeasuredSpeeds) {
  std::vector nodes{unequal_node()};
  nodes[0].gpus[0].measured.residue_steps_per_second = 9e8;
  nodes[0].gpus[1].measured.residue_steps_per_second = 1e8;
  const SplitRequest request{
      .units = 1'000'000, .unit = SplitUnit::residues, .residues_per_unit = 1};
  auto splits = split_over_devices(request, nodes);
  EXPECT_TRUE(splits.has_seconds());
  EXPECT_THAT(strategy_units(splits, core::SplitStrategy::measured_speed),
              ElementsAre(900'000, 100'000));
  const auto& shares = splits.strategies[2].split.value();
  EXPECT_DOUBLE_EQ(shares.seconds_of_slowest(), 1e-3);
  EXPECT_GT(shares.communication_bytes, 24 * 100'000) << "ghosts of both parts";
  EXPECT_THAT(table_text(splits), HasSubstr("900000 in 1 ms"));
  EXPECT_THAT(table_text(splits), Not(HasSubstr("scores")));
  // With a latency in every step the slower device gets less work.
  nodes[0].gpus[1].measured.exchange_latency_seconds = 5e-4;
  splits = split_over_devices(request, nodes);
  EXPECT_LT(strategy_units(splits, core::SplitStrategy::lowest_latency)[1], 60'000);
}

TEST(DeviceSplits, NameUnmeasuredDevices) {
  std::vector nodes{unequal_node()};
  nodes[0].gpus[0].measured.residue_steps_per_second = 9e8;
  const auto splits = split_over_devices({.units = 64}, nodes);
  EXPECT_THAT(table_text(splits), HasSubstr("not measured: GPU 1; scores stand in"));
  EXPECT_THAT(table_text(splits), HasSubstr("--unit-residues, the size of a replica"));
  EXPECT_FALSE(splits.has_seconds()) << "of replicas of unknown size";
  EXPECT_EQ(json_of(splits)["strategies"][2]["falls_back_on_scores"], true);
}

TEST(DeviceSplits, RespectMemory) {
  const std::vector nodes{unequal_node()};
  auto splits = split_over_devices({.units = 100, .bytes_per_unit = 800'000'000}, nodes);
  EXPECT_THAT(strategy_units(splits, core::SplitStrategy::memory_aware), ElementsAre(95, 5));
  splits = split_over_devices({.units = 200, .bytes_per_unit = 800'000'000}, nodes);
  EXPECT_FALSE(splits.strategies[3].split);
  EXPECT_THAT(table_text(splits), HasSubstr("memory-aware: 200 units find no room"));
  EXPECT_THAT(strategy_units(splits, core::SplitStrategy::equal), ElementsAre(100, 100));
  EXPECT_THAT(std::string(json_of(splits)["strategies"][3]["refusal"]), HasSubstr("no room"));
}

TEST(DeviceSplits, ExcludeUnfitAndHiddenDevices) {
  std::vector nodes{unequal_node(), unequal_node(), hardware::NodeInventory()};
  nodes[1].host = "n2";
  nodes[2].host = "n3";
  nodes[0].gpus[0].lost = "it fell off the bus";
  nodes[1].gpus[1].is_visible = false;
  const auto splits = split_over_devices({.units = 10}, nodes);
  ASSERT_EQ(splits.devices.size(), 2U);
  EXPECT_EQ(splits.devices[0].host, "n1");
  EXPECT_EQ(splits.devices[1].name, "GPU 0");
  EXPECT_THAT(splits.left_out, ElementsAre("GPU 0 of n1 is unfit", "GPU 1 of n2 is hidden",
                                           "n3 has no GPU that can share"));
  EXPECT_THAT(table_text(splits), HasSubstr("n1 GPU 1"));
}

TEST(DeviceSplits, UseCpusWithoutGpus) {
  std::vector<hardware::NodeInventory> nodes(2);
  nodes[0].host = "n1";
  nodes[0].cpu.cores = 64;
  nodes[1].host = "n2";
  const auto splits = split_over_devices({.units = 7, .unit = SplitUnit::targets}, nodes);
  ASSERT_EQ(splits.devices.size(), 2U);
  EXPECT_EQ(splits.devices[0].name, "CPU");
  EXPECT_THAT(strategy_units(splits, core::SplitStrategy::equal), ElementsAre(4, 3));
  EXPECT_THAT(table_text(splits), HasSubstr("targets send nothing while they step"));
}

TEST(DeviceSplits, CoverEightUnequalGpus) {
  hardware::NodeInventory node;
  for (int k = 0; k < 8; ++k) {
    node.gpus.push_back(make_gpu(k, k < 4 ? "NVIDIA H100" : "NVIDIA T4", 10.0 * (k + 1), 20 * k));
    node.gpus.back().measured.residue_steps_per_second = 1e8 * (k + 1);
  }
  const std::vector nodes{node};
  const auto splits = split_over_devices(
      {.units = 10'000'000, .unit = SplitUnit::residues, .residues_per_unit = 1}, nodes);
  for (const auto& shares : splits.strategies) {
    const auto& units = shares.split.value().units;
    EXPECT_EQ(std::accumulate(units.begin(), units.end(), std::int64_t{0}), 10'000'000);
  }
  EXPECT_LT(splits.strategies[4].split->seconds_of_slowest(),
            0.5 * splits.strategies[0].split->seconds_of_slowest());
}

}  // namespace
}  // namespace nfold::bench
