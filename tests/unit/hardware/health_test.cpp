// Health of devices with made-up readings.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace nfold::hardware {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Gpu sound() {
  Gpu gpu;
  gpu.name = "NVIDIA H100";
  gpu.memory_total_bytes = 80'000'000'000;
  gpu.memory_free_bytes = 79'500'000'000;
  gpu.clock_mhz = 1980;
  gpu.most_clock_mhz = 1980;
  gpu.temperature_celsius = 40;
  gpu.temperature_limit_celsius = 87;
  gpu.power_limit_watt = 700;
  gpu.uncorrected_errors = 0;
  gpu.corrected_errors = 12;
  gpu.row_remaps = RowRemaps{};
  gpu.throttle_reasons.emplace();
  gpu.utilisation = 0;
  gpu.processes.emplace();
  return gpu;
}

void expect_health(const Gpu& gpu, HealthLevel level, const char* reason) {
  const auto health = assess_health(gpu);
  EXPECT_EQ(health.level, level) << reason;
  EXPECT_THAT(health.reasons, ElementsAre(HasSubstr(reason)));
}

TEST(Health, SoundOrUnknownDeviceIsHealthy) {
  EXPECT_EQ(assess_health(sound()).level, HealthLevel::healthy);
  EXPECT_THAT(assess_health(sound()).reasons, IsEmpty());
  EXPECT_EQ(assess_health(Gpu()).level, HealthLevel::healthy) << "what is unknown is no fault";
  auto busy = sound();
  busy.throttle_reasons->emplace_back("power limit");  // normal for a GPU at work
  EXPECT_EQ(assess_health(busy).level, HealthLevel::healthy);
}

TEST(Health, ErrorsMakeUnfit) {
  auto gpu = sound();
  gpu.lost = "it fell off the bus";
  expect_health(gpu, HealthLevel::unfit, "fell off the bus");
  gpu = sound();
  gpu.uncorrected_errors = 3;
  expect_health(gpu, HealthLevel::unfit, "3 uncorrected memory errors");
  gpu = sound();
  gpu.row_remaps->has_failed = true;
  expect_health(gpu, HealthLevel::unfit, "could not be remapped");
  gpu = sound();
  gpu.measured.failure = "no answer within 60 s";
  expect_health(gpu, HealthLevel::unfit, "no answer within 60 s");
}

TEST(Health, SlownessMakesDoubtful) {
  auto gpu = sound();
  gpu.row_remaps->is_pending = true;
  expect_health(gpu, HealthLevel::doubtful, "waits for a reset");
  gpu = sound();
  gpu.clock_mhz = 345;
  gpu.throttle_reasons->emplace_back("temperature, by the hardware");
  expect_health(gpu, HealthLevel::doubtful,
                "throttled at 345 of 1980 MHz: temperature, by the hardware");
  gpu = sound();
  gpu.temperature_celsius = 87;
  expect_health(gpu, HealthLevel::doubtful, "87 C");
  gpu = sound();
  gpu.utilisation = 0.97;
  expect_health(gpu, HealthLevel::doubtful, "97 %");
}

TEST(Health, CountsMemoryOfOtherProcessesOnly) {
  auto gpu = sound();
  gpu.memory_free_bytes = 40'000'000'000;
  expect_health(gpu, HealthLevel::doubtful, "40.0 GB of its memory are held by what is not seen");
  gpu.processes = {{{4711, 39'000'000'000}}};
  expect_health(gpu, HealthLevel::doubtful, "1 other process holds 39.0 GB");
  const std::vector<std::int64_t> own{4711};
  EXPECT_EQ(assess_health(gpu, {}, own).level, HealthLevel::healthy);
  gpu.processes->push_back({4712, 1'000'000'000});  // below 5 % of all
  EXPECT_EQ(assess_health(gpu, {}, own).level, HealthLevel::healthy);
}

TEST(Health, ComparesDeviceWithTwins) {
  NodeInventory node;
  for (const double speed : {100.0, 99.0, 101.0, 91.0, 89.0}) {
    node.gpus.push_back(sound());
    node.gpus.back().measured.pair_forces_per_second = speed;
  }
  node.gpus.push_back(sound());
  node.gpus.back().name = "NVIDIA L4";  // slower, and of another kind
  node.gpus.back().measured.pair_forces_per_second = 20;
  const std::vector<NodeInventory> nodes{node};
  std::vector<HealthLevel> levels;
  for (const auto& gpu : nodes[0].gpus) {
    levels.push_back(assess_health(gpu, same_model_devices(gpu, nodes)).level);
  }
  const auto well = HealthLevel::healthy;
  EXPECT_THAT(levels, ElementsAre(well, well, well, well, HealthLevel::doubtful, well));
  const auto& slow = nodes[0].gpus[4];
  EXPECT_THAT(assess_health(slow, same_model_devices(slow, nodes)).reasons,
              ElementsAre(HasSubstr("its speed is 11 % below the median of its model")));
}

TEST(Health, ListsGravestReasonFirst) {
  auto gpu = sound();
  gpu.temperature_celsius = 95;
  gpu.uncorrected_errors = 1;
  EXPECT_THAT(assess_health(gpu).reasons,
              ElementsAre(HasSubstr("1 uncorrected memory error since"), HasSubstr("95 C")));
}

}  // namespace
}  // namespace nfold::hardware
