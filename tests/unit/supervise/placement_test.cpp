// Placement of ranks without excluded GPUs and nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nfold::supervise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<NodeHealth> one_node(int gpus, const std::vector<int>& unfit = {}) {
  NodeHealth node{"n1", {}};
  for (int k = 0; k < gpus; ++k) {
    const bool is_unfit = std::find(unfit.begin(), unfit.end(), k) != unfit.end();
    node.gpus.push_back({k, "GPU-" + std::to_string(k), is_unfit ? "unfit" : "healthy", {}});
  }
  return {node};
}
const Allocation alone;
const Allocation two_nodes{Scheduler::pbs, {{"n1", 2}, {"n2", 2}}, 4};

TEST(Placement, DefaultIsOneRank) {
  EXPECT_THAT(place_ranks(0, alone, {}, {}).nodes, ElementsAre(NodeAssignment{"", 1, {}}));
  EXPECT_THAT(place_ranks(3, alone, {}, {}).nodes, ElementsAre(NodeAssignment{"", 3, {}}));
}

TEST(Placement, UsesAllFitGpus) {
  EXPECT_THAT(place_ranks(0, alone, one_node(4), {}).nodes, ElementsAre(NodeAssignment{"", 4, {}}));
  EXPECT_THAT(place_ranks(0, alone, one_node(4, {1}), {}).nodes,
              ElementsAre(NodeAssignment{"", 3, {"GPU-0", "GPU-2", "GPU-3"}}));
}

TEST(Placement, SpareGpuReplacesExcludedGpu) {
  EXPECT_THAT(place_ranks(2, alone, one_node(3), {{"GPU-0"}, {}}).nodes,
              ElementsAre(NodeAssignment{"", 2, {"GPU-1", "GPU-2"}}));
  EXPECT_THAT(place_ranks(3, alone, one_node(3), {{"GPU-0"}, {}}).nodes,
              ElementsAre(NodeAssignment{"", 2, {"GPU-1", "GPU-2"}}));
}

TEST(Placement, SharedGpusStayShared) {
  EXPECT_THAT(place_ranks(4, alone, one_node(2), {{"GPU-0"}, {}}).nodes,
              ElementsAre(NodeAssignment{"", 4, {"GPU-1"}}));
}

TEST(Placement, NoFitGpuGivesNoPlacement) {
  EXPECT_THAT(place_ranks(0, alone, one_node(1, {0}), {}).nodes, IsEmpty());
  EXPECT_THAT(place_ranks(4, alone, one_node(2, {0, 1}), {}).nodes, IsEmpty());
}

TEST(Placement, FillsSeveralNodes) {
  EXPECT_THAT(place_ranks(0, two_nodes, {}, {}).nodes,
              ElementsAre(NodeAssignment{"n1", 2, {}}, NodeAssignment{"n2", 2, {}}));
  EXPECT_THAT(place_ranks(3, two_nodes, {}, {}).nodes,
              ElementsAre(NodeAssignment{"n1", 2, {}}, NodeAssignment{"n2", 1, {}}));
  EXPECT_THAT(place_ranks(0, two_nodes, {}, {{}, {"n1.cluster"}}).nodes,
              ElementsAre(NodeAssignment{"n2", 2, {}}));
  const auto health = one_node(2);
  EXPECT_THAT(place_ranks(0, two_nodes, health, {{"GPU-0"}, {}}).nodes,
              ElementsAre(NodeAssignment{"n1", 1, {"GPU-1"}}, NodeAssignment{"n2", 2, {}}));
}

TEST(DeviceHealth, ReadsTheReport) {
  const auto nodes = parse_devices(R"(mpirun says hello
{"nodes": [{"host": "n1", "gpus": [
   {"index": 0, "uuid": "GPU-a", "verdict": "healthy", "reasons": [], "model": "H100"},
   {"index": 1, "uuid": "GPU-b", "verdict": "unfit", "reasons": ["ECC: 12"]},
   {"index": 2, "uuid": "GPU-c", "verdict": "healthy", "reasons": [], "is_visible": false},
   {"index": 3, "uuid": null, "verdict": "unfit", "reasons": ["lost"]}]}]})");
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_FALSE(nodes->at(0).gpus[0].is_unfit());
  EXPECT_TRUE(nodes->at(0).gpus[1].is_unfit());
  EXPECT_EQ(nodes->at(0).gpus.size(), 3U) << "what is hidden is none";
  EXPECT_EQ(describe_unfit(*nodes),
            "GPU 1 (GPU-b) of n1 is unfit: ECC: 12; GPU 3 (3) of n1 is unfit: lost");
  EXPECT_EQ(parse_devices(R"([{"host": "n1", "gpus": []}])")->size(), 1U);
  EXPECT_EQ(parse_devices(R"({"host": "n1", "gpus": null})")->size(), 1U);
}

TEST(DeviceHealth, InvalidReportsAreIgnored) {
  for (const char* text : {"", "nfold: error: unknown command 'devices'", "{", "{}", "[1]", "[[]]",
                           R"({"gpus": [{"index": "one"}]})", R"({"gpus": 3})"}) {
    EXPECT_FALSE(parse_devices(text)) << text;
  }
}

TEST(DeviceHealth, HiddenGpusAreNotCounted) {
  const auto gpus = one_node(4)[0].gpus;
  const auto names = [&](const char* visible) {
    std::vector<int> indices;
    for (const auto& gpu : visible_gpus(gpus, visible)) indices.push_back(gpu.index);
    return indices;
  };
  EXPECT_THAT(names(""), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(names("2,0"), ElementsAre(2, 0));
  EXPECT_THAT(names("GPU-3"), ElementsAre(3));
  EXPECT_THAT(names("9,"), IsEmpty());
}

}  // namespace
}  // namespace nfold::supervise
