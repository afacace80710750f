// Device readings of this process and of a recorded GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/device_readings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "device/hardware/energy_meter.hpp"

namespace nfold::hardware {
namespace {

TEST(DeviceReadings, SampleThisProcess) {
  DeviceReadings readings("");
  EXPECT_EQ(readings.failure(), "");
  const auto reading = readings.sample();
  ASSERT_TRUE(reading.memory_used_bytes && reading.memory_total_bytes);
  EXPECT_GT(*reading.memory_used_bytes, 100'000);
  EXPECT_LT(*reading.memory_used_bytes, *reading.memory_total_bytes);
  EXPECT_FALSE(reading.temperature_celsius);
  const auto until = std::clock() + CLOCKS_PER_SEC / 10;  // several ticks of processor time
  while (std::clock() < until) {
  }
  const auto busy = readings.sample();
  ASSERT_TRUE(busy.use);
  EXPECT_GT(*busy.use, 0);
  EXPECT_LE(*busy.use, 1);
}

TEST(DeviceReadings, SampleRecordedGpu) {
  DeviceReadings readings("GPU-00000003-77aa-4c01-9e10-5a0000000003");
  ASSERT_EQ(readings.failure(), "");
  const auto reading = readings.sample();
  EXPECT_EQ(reading.memory_total_bytes, 85'520'809'984);
  EXPECT_EQ(reading.memory_used_bytes, 85'520'809'984 - 84'936'753'152);
  EXPECT_EQ(reading.temperature_celsius, 88);
  EXPECT_TRUE(reading.is_throttled);
  EXPECT_EQ(reading.use, 0);
}

TEST(DeviceReadings, ReportUnknownGpu) {
  DeviceReadings readings("GPU-unknown");
  EXPECT_THAT(readings.failure(), testing::HasSubstr("NVML lists no GPU GPU-unknown"));
  EXPECT_FALSE(readings.sample().memory_used_bytes);
}

TEST(EnergyMeter, MeasuresEnergySinceStart) {
  const EnergyMeter meter("GPU-00000003-77aa-4c01-9e10-5a0000000003");
  const auto first = meter.joules(), second = meter.joules();
  ASSERT_TRUE(first && second);
  EXPECT_GT(*first, 10);  // a second of its power
  EXPECT_NEAR(*second, 2 * *first, 1e-6);
}

TEST(EnergyMeter, IsEmptyWithoutGpu) {
  EXPECT_FALSE(EnergyMeter("").joules());
  EXPECT_FALSE(EnergyMeter("GPU-unknown").joules());
}

}  // namespace
}  // namespace nfold::hardware
