// Inventories to JSON and back, and merged inventories of several processes.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/inventory_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/hardware/gpu_readings.hpp"
#include "device/hardware/node.hpp"

namespace nfold::hardware {
namespace {

Gpu make_gpu(int index, const char* uuid, const char* bus) {
  Gpu gpu;
  gpu.index = index;
  gpu.uuid = uuid;
  gpu.pci_bus_id = bus;
  return gpu;
}

TEST(Inventory, RoundTripsThroughText) {
  NodeInventory node;
  node.host = "n1";
  node.cpu.cores = 16;
  node.cpu.measured.pair_forces_per_second = 1.5e9;
  auto gpu = make_gpu(2, "GPU-1", "0000:1b:00.0");
  gpu.row_remaps = RowRemaps{1, 2, true, false};
  gpu.processes = {{{7, 1000}, {8, std::nullopt}}};
  gpu.throttle_reasons = {{"power limit"}};
  gpu.processors = parse_list("0-3,8");
  node.gpus.push_back(gpu);
  node.links.push_back({0, 2, 4, 18, "one PCIe switch", {}, {}});
  node.notes.emplace_back("a \"note\"\nof two lines");
  const auto text = write_node(node);
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line a node";
  const auto back = read_node_text(text);
  EXPECT_EQ(write_node(back), text);
  EXPECT_EQ(back.gpus[0].row_remaps->uncorrected, 2);
  EXPECT_FALSE(back.gpus[0].memory_total_bytes) << "unknown stays unknown";
  EXPECT_EQ(list_text(*back.gpus[0].processors), "0-3,8");
  EXPECT_THROW((void)read_node_text("{}"), std::runtime_error);
  EXPECT_THROW((void)read_node_text("no"), std::runtime_error);
}

TEST(Inventory, ReportHasUnknownsAsNull) {
  NodeInventory node;
  node.gpus.push_back(make_gpu(0, "GPU-1", ""));
  const std::vector<NodeInventory> nodes{node};
  const auto report = report_json(nodes);
  EXPECT_TRUE(report["nodes"][0]["gpus"][0]["memory_total_bytes"].is_null());
  EXPECT_EQ(report["nodes"][0]["gpus"][0]["verdict"], "healthy");
  EXPECT_EQ(report["verdict"], "healthy");
}

TEST(Inventory, MergesProcessesOfEachHost) {
  // A scheduler shows each of two ranks of a node its own GPU as number 0.
  NodeInventory first{"n1", {}, {}, {make_gpu(0, "GPU-b", "0000:9b:00.0")}, {}, {}};
  NodeInventory second{"n1", {}, {}, {make_gpu(0, "GPU-a", "0000:1b:00.0")}, {}, {}};
  NodeInventory other{"n2", {}, {}, {make_gpu(0, "GPU-c", "0000:1b:00.0")}, {}, {}};
  const auto nodes = merged({first, second, other, first});
  ASSERT_EQ(nodes.size(), 2U);
  ASSERT_EQ(nodes[0].gpus.size(), 2U);
  EXPECT_EQ(nodes[0].gpus[0].uuid, "GPU-a") << "in the order of the bus";
  EXPECT_EQ(nodes[0].gpus[1].uuid, "GPU-b");
  EXPECT_EQ(nodes[0].gpus[1].index, 1);
  EXPECT_EQ(nodes[1].gpus.size(), 1U);
}

TEST(VisibleGpus, FollowVariable) {
  const auto visible = [](const char* variable) {
    std::vector<Gpu> gpus{make_gpu(0, "GPU-aa", ""), make_gpu(1, "GPU-bb", ""),
                          make_gpu(2, "GPU-cc", "")};
    mark_visible(variable, gpus);
    std::string seen;
    for (const auto& gpu : gpus) seen += gpu.is_visible ? 'x' : '-';
    return seen;
  };
  EXPECT_EQ(visible(nullptr), "xxx");
  EXPECT_EQ(visible(""), "---");
  EXPECT_EQ(visible("2,0"), "x-x");
  EXPECT_EQ(visible("GPU-bb"), "-x-");
  EXPECT_EQ(visible("0,7,1"), "x--") << "CUDA stops at the first that is none";
  EXPECT_EQ(visible("-1"), "---");
}

TEST(BusId, IsNormalised) {
  EXPECT_EQ(plain_bus_id("00000000:1B:00.0"), "0000:1b:00.0");
  EXPECT_EQ(plain_bus_id("0000:1b:00.0"), "0000:1b:00.0");
}

TEST(ComputeUnits, HaveCoresByArchitecture) {
  EXPECT_EQ(cores_per_compute_unit(9, 0), 128);  // H100: 16,896 cores, 132 multiprocessors
  EXPECT_EQ(cores_per_compute_unit(8, 0), 64);   // A100: 6,912 and 108
  EXPECT_EQ(cores_per_compute_unit(7, 5), 64);   // T4: 2,560 and 40
  EXPECT_EQ(cores_per_compute_unit(99, 0), std::nullopt);
}

}  // namespace
}  // namespace nfold::hardware
