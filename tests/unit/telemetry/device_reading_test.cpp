// Descriptions and bars of devices: known values only, bounded width.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/device_reading.hpp"

#include <gmock/gmock.h>

#include "core/telemetry/progress.hpp"

namespace nfold::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

DeviceReading gpu(int number) {
  DeviceReading reading;
  reading.name = "GPU " + std::to_string(number);
  reading.part = 2112;
  reading.of = 4224;
  reading.memory_used_bytes = std::int64_t{3} << 29U;
  reading.memory_total_bytes = std::int64_t{80} << 30U;
  reading.use = 0.97;
  reading.temperature_celsius = 54 + number;
  return reading;
}

TEST(DeviceReading, ReportsKnownValuesOnly) {
  EXPECT_EQ(describe_device(gpu(0), "replicas"),
            "GPU 0 2112/4224 replicas, memory 1.5 GiB/80 GiB, GPU use 97 %, 54 C");
  auto hot = gpu(0);
  hot.is_throttled = true;
  EXPECT_THAT(describe_device(hot, "replicas"), EndsWith(", 54 C, throttled"));
  DeviceReading cpu;
  cpu.name = "CPU";
  cpu.memory_used_bytes = 1 << 20;
  cpu.is_gpu = false;
  cpu.use = 0.5;
  EXPECT_EQ(describe_device(cpu, "replicas"), "CPU memory 1 MiB, CPU use 50 %");
}

TEST(DeviceReading, HasOneLineOnAScreen) {
  auto second = gpu(1);
  second.name = "node12 GPU 1";
  second.progress = 0.25;
  const std::vector<DeviceReading> two{gpu(0), second};
  EXPECT_THAT(
      device_screen(two, "replicas", 200),
      ElementsAre("GPU 0         2112/4224 replicas  memory 1.5 GiB/80 GiB  GPU use 97 %  54 C",
                  "node12 GPU 1  [#####...............] 2112/4224 replicas  memory 1.5 GiB/80 GiB  "
                  "GPU use 97 %  55 C"));
  for (const auto& line : device_screen(two, "replicas", 30)) EXPECT_THAT(line, SizeIs(30));
}

TEST(DeviceReading, ManyDevicesAreSummarised) {
  std::vector<DeviceReading> many;
  many.reserve(40);
  for (int k = 0; k < 40; ++k) many.push_back(gpu(k));
  EXPECT_THAT(device_line(many, "residues"), HasSubstr("; 33 more, use 97 to 97 %, 61 to 93 C"));
  const auto lines = device_screen(many, "residues", 100);
  EXPECT_THAT(lines, SizeIs(16));
  EXPECT_EQ(lines.back(), "and 25 more");
  many.resize(8);
  EXPECT_THAT(device_line(many, "residues"), HasSubstr("GPU 7 2112/4224 residues"));
}

TEST(DeviceReading, FollowsTheProgress) {
  ProgressSample sample;
  sample.step = 10;
  sample.total_steps = 20;
  sample.unit_of_work = "replicas";
  sample.devices = {gpu(0), gpu(1)};
  EXPECT_THAT(progress_line(sample),
              HasSubstr("; GPU 0 2112/4224 replicas, memory 1.5 GiB/80 GiB"));
  EXPECT_THAT(progress_screen(sample, 100), HasSubstr("\nGPU 1  [##########..........]"));
}

TEST(Bar, FitsItsColumns) {
  EXPECT_EQ(bar(0.5, 4), "[##..]");
  EXPECT_EQ(bar(7, 4), "[####]");
  EXPECT_EQ(bar(-1, 4), "[....]");
}

}  // namespace
}  // namespace nfold::telemetry
