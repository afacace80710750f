// Machines by name, and the machine of a node: all of its devices, or those that are free.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/machine_lookup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/input_error.hpp"
#include "estimate/layouts.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::setup {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

hardware::NodeInventory node() {
  hardware::NodeInventory node;
  node.host = "n1";
  node.cpu.model = "a processor";
  node.cpu.cores = 12;
  node.cpu.memory_total_bytes = 64'000'000'000;
  return node;
}

TEST(EstimatedMachine, TakesBuiltInStepTimes) {
  auto with_gpus = node();
  for (int k = 0; k < 2; ++k) {
    hardware::Gpu gpu;
    gpu.index = k;
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.memory_total_bytes = 85'000'000'000;
    with_gpus.gpus.push_back(gpu);
  }
  const auto machine = estimate_machine(with_gpus), h100 = estimate::builtin_machine("h100");
  EXPECT_EQ(machine.gpus_per_node, 2);
  EXPECT_EQ(machine.cores_per_node, 12);
  EXPECT_DOUBLE_EQ(machine.gpu->memory_gb, 85);
  EXPECT_EQ(machine.gpu_step.pair_ns, h100.gpu_step.pair_ns);
  EXPECT_EQ(estimate::list_layouts(machine).size(), 2U + 12);
}

hardware::Gpu gpu(int index, const char* name, int units) {
  hardware::Gpu gpu;
  gpu.index = index;
  gpu.name = name;
  gpu.compute_units = units;
  gpu.memory_total_bytes = 80'000'000'000;
  gpu.memory_free_bytes = 79'000'000'000;
  return gpu;
}

TEST(FreeMachine, LeavesBusyCoresAndMemoryToOthers) {
  auto busy = node();
  busy.cpu.utilisation = 0.4;
  busy.cpu.memory_free_bytes = 10'000'000'000;
  const auto machine = free_machine(busy);
  EXPECT_EQ(machine.free_cores(), 7);
  EXPECT_EQ(estimate::list_layouts(machine).back().ranks(), 7);
  estimate::LayoutWish all;
  all.ranks = 12;
  EXPECT_EQ(estimate::list_layouts(machine, all).size(), 1U);
  EXPECT_DOUBLE_EQ(machine.host_memory_gb, 10);
  EXPECT_THAT(machine.notes, Contains(HasSubstr("5 of 12 cores are busy")));
  busy.cpu.utilisation = 1;
  EXPECT_EQ(free_machine(busy).free_cores(), 1);
  EXPECT_EQ(machine.node_hour(), 0) << "here is free";
}

TEST(FreeMachine, LeavesOutUnfitAndBusyGpus) {
  auto with_gpus = node();
  with_gpus.gpus = {gpu(0, "NVIDIA H100", 132), gpu(1, "NVIDIA H100", 132),
                    gpu(2, "NVIDIA H100", 132), gpu(3, "NVIDIA H100", 132)};
  with_gpus.gpus[0].uncorrected_errors = 3;
  with_gpus.gpus[1].utilisation = 0.9;
  with_gpus.gpus[2].utilisation = 0.25;
  const auto machine = free_machine(with_gpus);
  EXPECT_EQ(machine.gpus_per_node, 2);
  EXPECT_THAT(machine.notes, Contains(HasSubstr("GPU 0 (NVIDIA H100) is left out: 3 uncorrected")));
  EXPECT_THAT(machine.notes, Contains(HasSubstr("GPU 1 (NVIDIA H100) is left out: others")));
  EXPECT_DOUBLE_EQ(machine.gpu->memory_gb, 79);
  EXPECT_DOUBLE_EQ(machine.mean_gpu_speed(1), 1) << "the fittest comes first";
  EXPECT_DOUBLE_EQ(machine.mean_gpu_speed(2), (1 + 0.75) / 2);
  with_gpus.gpus.resize(2);
  EXPECT_FALSE(free_machine(with_gpus).has_gpus());
}

TEST(FreeMachine, UnequalGpusAreEachWhatTheyAre) {
  auto with_gpus = node();
  with_gpus.gpus = {gpu(0, "NVIDIA GeForce RTX 4060", 24), gpu(1, "NVIDIA H100", 132)};
  with_gpus.gpus[0].memory_free_bytes = 8'000'000'000;
  with_gpus.gpus[0].memory_total_bytes = 8'000'000'000;
  const auto machine = free_machine(with_gpus);
  EXPECT_EQ(machine.gpu->name, "NVIDIA H100");
  EXPECT_EQ(machine.gpu_step.pair_ns, estimate::builtin_machine("h100").gpu_step.pair_ns);
  ASSERT_EQ(machine.unequal_gpus.size(), 2U);
  EXPECT_DOUBLE_EQ(machine.unequal_gpus[1].speed, 24.0 / 132);
  EXPECT_DOUBLE_EQ(machine.gpu_memory_gb(2), 8);
}

TEST(FreeMachine, KeepsSpeedsAndPricesOfItsEntry) {
  auto entry = estimate::builtin_machine("cpu-node");
  entry.core_hour = 0.5;
  auto busy = node();
  busy.cpu.utilisation = 0.5;
  const auto machine = free_machine(busy, entry);
  EXPECT_EQ(machine.free_cores(), 6);
  EXPECT_DOUBLE_EQ(machine.node_hour(), 6);
  EXPECT_EQ(machine.name, "cpu-node");
}

/// Folder of a site's entries.
class SiteMachines : public testing::Test {
 protected:
  SiteMachines() {
    const char* const before = getenv("XDG_CONFIG_HOME");
    before_ = before == nullptr ? "" : before;
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    fs::create_directories(machines_);
    write("b-site", "cores: 8", "cores: 5");
    write("a-site", "cores: 8", "cores: 3");
  }
  ~SiteMachines() override {
    if (before_.empty()) {
      unsetenv("XDG_CONFIG_HOME");
    } else {
      setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
    }
  }
  void write(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text(estimate::builtin_machine_text("laptop"));
    text.replace(text.find(from), from.size(), to);
    std::ofstream(machines_ / (name + ".yaml")) << text;
  }

  const test::TemporaryFolder folder_;
  const fs::path machines_ = folder_ / "nfold" / "machines";
  std::string before_;
};

TEST_F(SiteMachines, AreFoundByNameInListsAndFolders) {
  EXPECT_EQ(machine_for("b-site").cores_per_node, 5);
  const auto several = machines_for("h100,a-site,b-site");
  ASSERT_EQ(several.size(), 3U);
  EXPECT_EQ(several[0].name, "h100");
  EXPECT_EQ(several[1].cores_per_node, 3);
  const auto folder = machines_for(machines_.string());
  ASSERT_EQ(folder.size(), 2U);
  EXPECT_EQ(folder[0].name, "a-site") << "in the order of names";
  EXPECT_EQ(site_machine_files().size(), 2U);
  EXPECT_EQ(machines_for("here").at(0).name, "here");
}

TEST_F(SiteMachines, ReplaceBuiltInOnesAndDescribeHere) {
  write("h100", "cores: 8", "cores: 7");
  EXPECT_EQ(machine_for("h100").cores_per_node, 7);
  write("here", "core_hour: 0.002", "core_hour: 0.25");
  EXPECT_EQ(machine_for("here").core_hour, 0.25);
  EXPECT_EQ(machines_for("here").at(0).core_hour, 0.25);
}

TEST_F(SiteMachines, AreRefusedTwiceOrMistyped) {
  const auto message = [](const std::string& wish) {
    try {
      (void)machines_for(wish);
    } catch (const core::InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(message("h100,h100"), HasSubstr("machine 'h100': it is named twice"));
  EXPECT_THAT(message("a-sit"), HasSubstr("did you mean 'a-site'"));
  fs::create_directories(folder_ / "empty");
  EXPECT_THAT(message((folder_ / "empty").string()), HasSubstr("it has no *.yaml"));
}

TEST(EstimatedMachine, ScalesUnknownGpus) {
  auto unknown = node();
  hardware::Gpu gpu;
  gpu.name = "NVIDIA Something";
  gpu.compute_units = 66;
  gpu.most_clock_mhz = 1980;
  unknown.gpus.push_back(gpu);
  const auto machine = estimate_machine(unknown), h200 = estimate::builtin_machine("h200");
  EXPECT_TRUE(machine.steps_are_scaled);
  EXPECT_DOUBLE_EQ(machine.gpu_step.pair_ns[1], 2 * h200.gpu_step.pair_ns[1]);
  const auto without = estimate_machine(node());
  EXPECT_FALSE(without.has_gpus());
  EXPECT_FALSE(estimate::list_layouts(without).front().on_gpu);
}

TEST(EstimatedMachine, MatchesGpuNamesByWholeWords) {
  const auto pair_cost = [](const std::string& name) {
    auto one = node();
    hardware::Gpu gpu;
    gpu.name = name;
    one.gpus.push_back(gpu);
    return estimate_machine(one).gpu_step.pair_ns;
  };
  const auto builtin_pair_cost = [](const char* machine) {
    return estimate::builtin_machine(machine).gpu_step.pair_ns;
  };
  ASSERT_NE(builtin_pair_cost("a100"), builtin_pair_cost("h200"));
  EXPECT_EQ(pair_cost("NVIDIA A100-SXM4-80GB"), builtin_pair_cost("a100"));
  EXPECT_EQ(pair_cost("NVIDIA H100 80GB HBM3"), builtin_pair_cost("h100"));
  EXPECT_EQ(pair_cost("NVIDIA GeForce RTX 4060 Laptop GPU"), builtin_pair_cost("rtx4060"));
  EXPECT_EQ(pair_cost("NVIDIA RTX A1000"), builtin_pair_cost("h200")) << "nothing is known of it";
}

TEST(EstimatedMachine, RefusesUnknownNames) {
  try {
    (void)machine_for("h20");
    FAIL() << "nothing was thrown";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no built-in machine and no file"));
    EXPECT_THAT(error.what(), HasSubstr("h200"));
  }
}

}  // namespace
}  // namespace nfold::setup
