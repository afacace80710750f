// Placement of a run's arrays on a machine's GPUs, and the number of GPUs that need no moved array.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/memory_placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/device_memory.hpp"
#include "model/start/initial_state.hpp"
#include "session/setup/device_setup.hpp"
#include "support/condensates.hpp"

namespace nfold::setup {
namespace {

using device::moving_order;
using testing::Contains;
using testing::HasSubstr;

class MemoryPlacement : public testing::Test {
 protected:
  MemoryPlacement() { settings_.force_field.model = input::find_model("hps-kr"); }
  /// Returns the bytes of a device on which the fullest rank fits, and with one less does not.
  [[nodiscard]] static std::int64_t enough(const RunMemory& memory) {
    return memory.needed_device_bytes() + memory.needed_device_bytes() / 20;
  }
  const topology::Topology topology_ =
      test::condensate({.box = {{5.2, 34.8, 32.6}}, .rows = 30, .layers = 30});
  const system::State state_ = start::native_start(topology_);
  input::Settings settings_;
  const MemoryEstimator estimator_{settings_, topology_, state_, true};
  const RunMemory memory_ = estimator_.on(2);
  static constexpr std::int64_t plenty = std::int64_t{1} << 40U;
};

TEST_F(MemoryPlacement, MovesCheckpointCopiesFirst) {
  const auto one = estimator_.on(1);
  EXPECT_EQ(place(one, {enough(one), plenty}).moved_uses.front(), 0);
  const auto placed = place(one, {enough(one) - 1, plenty});
  EXPECT_EQ(placed.moved_uses.front(), 1);
  EXPECT_EQ(placed.memory.ranks.front().find("held_position.x")->device_bytes, 0);
  EXPECT_GT(placed.memory.ranks.front().find("saved_position.x")->device_bytes, 0);
}

TEST_F(MemoryPlacement, KeepsTheSumOfBytes) {
  for (const std::int64_t bytes : {plenty, enough(memory_) - 1, std::int64_t{0}}) {
    const auto placed = place(memory_, {bytes, plenty});
    for (std::size_t k = 0; k < memory_.ranks.size(); ++k) {
      const auto &before = memory_.ranks[k], &after = placed.memory.ranks[k];
      EXPECT_EQ(before.device_bytes() + before.host_bytes(),
                after.device_bytes() + after.host_bytes());
      EXPECT_EQ(placed.fits(k), bytes > 0);
    }
  }
}

TEST_F(MemoryPlacement, TableHasTheOrderAndEachRank) {
  const auto placed = place(memory_, {enough(memory_) - 1, plenty});
  const auto lines = placement_table(placed);
  for (const auto& one : moving_order) {
    EXPECT_THAT(lines, Contains(testing::AllOf(HasSubstr(one.name), HasSubstr(one.traffic))));
  }
  EXPECT_THAT(lines,
              Contains(testing::ContainsRegex("^ *[01].* checkpoint copies +spare buffers")));
  EXPECT_THAT(placement_table(place(memory_, {0, plenty})), Contains(HasSubstr("does not fit")));
}

TEST_F(MemoryPlacement, JsonHasGroupsWithTheirPlace) {
  const auto placed = place(memory_, {enough(memory_) - 1, plenty});
  const auto json = placement_json(placed);
  EXPECT_EQ(json["rank_count"], 2);
  ASSERT_EQ(json["order"].size(), moving_order.size());
  EXPECT_EQ(json["order"][0]["use"], "checkpoint copies");
  EXPECT_EQ(json["ranks"][0]["first"], 0);
  EXPECT_EQ(json["ranks"].back()["last"], 1);
  const auto& rank = json["ranks"][json["ranks"][0]["moved"].empty() ? 1 : 0];
  EXPECT_EQ(rank["moved"], nlohmann::json({"checkpoint copies"}));
  EXPECT_EQ(rank["moves_next"], nlohmann::json({"spare buffers"}));
  std::int64_t on_gpu = 0, on_host = 0;
  bool has_copies = false;
  for (const auto& group : rank["groups"]) {
    (group["where"] == "GPU" ? on_gpu : on_host) += group["bytes"].get<std::int64_t>();
    if (group.value("use", "") != "checkpoint copies") continue;
    has_copies = true;
    EXPECT_EQ(group["where"], "host");
  }
  EXPECT_TRUE(has_copies);
  EXPECT_EQ(on_gpu, rank["device_bytes"]);
  EXPECT_EQ(on_host, rank["host_bytes"]);
}

TEST_F(MemoryPlacement, MemoryOfARankLeavesOutThePrograms) {
  auto machine = estimate::builtin_machine("h200");
  const auto one = rank_memory(machine, 1, 0), eight = rank_memory(machine, 8, 0);
  EXPECT_EQ(one.device_bytes + runtime_memory(1, true).device_bytes(),
            static_cast<std::int64_t>(machine.gpu->memory_gb * 1e9));
  EXPECT_LT(eight.host_bytes, one.host_bytes / 7);
  EXPECT_EQ(rank_memory(machine, 1, 1000).device_bytes, 1000);
}

TEST_F(MemoryPlacement, FindsTheSmallestNumberOfGpus) {
  auto machine = estimate::builtin_machine("h200");
  const auto on = [&](int ranks) { return estimator_.about(ranks); };
  EXPECT_EQ(smallest_gpu_count(machine, 0, on), 1);
  // One rank fits with moved arrays only.
  const auto limit = enough(on(1)) - 1;
  const auto count = smallest_gpu_count(machine, limit, on);
  ASSERT_TRUE(count);
  EXPECT_GT(*count, 1);
  const auto moved = [&](int ranks) {
    return place(on(ranks), rank_memory(machine, ranks, limit)).moved_uses.front();
  };
  EXPECT_EQ(moved(*count), 0);
  EXPECT_GT(moved(*count - 1), 0);
  EXPECT_THAT(describe_smallest_count(machine, 2),
              HasSubstr("smallest number of GPUs of h200 that needs no such step is 2"));
  const int there = machine.gpus_per_node * machine.most_nodes;
  EXPECT_THAT(describe_smallest_count(machine, there + 1), HasSubstr("more than the"));
  EXPECT_EQ(smallest_gpu_count(machine, 1, on), std::nullopt);
}

TEST(SmallestRankCount, MatchesALinearSearch) {
  for (int enough = 1; enough < 70; ++enough) {
    for (int least = 1; least < 9; ++least) {
      EXPECT_EQ(smallest_rank_count(least, [&](int ranks) { return ranks >= enough; }),
                std::max(least, enough));
    }
  }
  EXPECT_EQ(smallest_rank_count(1, [](int) { return false; }), std::nullopt);
}

TEST(MemoryPool, IsReservedOnGpusAlone) {
  input::Settings settings;
  const comm::Communicator alone;
  EXPECT_EQ(reserve_memory_pool(alone, settings), nullptr);
  settings.devices.memory_pool_mb = 10;
  EXPECT_EQ(reserve_memory_pool(alone, settings) != nullptr, device::computes_on_gpu());
}

}  // namespace
}  // namespace nfold::setup
