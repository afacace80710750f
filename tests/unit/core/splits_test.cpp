// Splits of work among unequal devices: documented figures, memory limits, earliest end.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/splits.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

namespace nfold::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t total_units(const Split& split) {
  return std::accumulate(split.units.begin(), split.units.end(), std::int64_t{0});
}

TEST(Splits, ScoreSplitIsProportional) {
  const std::vector<DeviceSpeed> devices{{.score = 95}, {.score = 80}};
  const auto shares = split(SplitStrategy::score, devices, {.units = 10'000});
  EXPECT_THAT(shares.units, ElementsAre(5429, 4571));
  EXPECT_GT(shares.balance, 0.999);
}

TEST(Splits, DescribesShares) {
  const std::vector<DeviceSpeed> by_score{{.score = 95}, {.score = 80}};
  const auto shares = split(SplitStrategy::score, by_score, {.units = 7});
  EXPECT_EQ(describe(SplitStrategy::score, shares, "replicas"),
            "replicas are shared out by score: 4 + 3; expected balance 94.5 %, by scores, for no "
            "speed is measured yet");
  const std::vector<DeviceSpeed> measured{{.units_per_second = 100}, {.units_per_second = 300}};
  const SharedWork space{.units = 400, .border_factor = 1, .border_exponent = 1};
  EXPECT_EQ(describe(SplitStrategy::measured_speed,
                     split(SplitStrategy::measured_speed, measured, space), "residues"),
            "residues are shared out by measured-speed: 100 + 300; expected 1 s of the slowest, "
            "balance 100.0 %, 0.0096 MB sent a step");
  const std::vector<DeviceSpeed> many(100);
  EXPECT_THAT(
      describe(SplitStrategy::equal, split(SplitStrategy::equal, many, {.units = 250}), "targets"),
      HasSubstr("equal: 2 to 3 on each of 100 devices;"));
}

TEST(Splits, EqualIgnoresScoresAndSpeeds) {
  const std::vector<DeviceSpeed> devices{{.score = 95, .units_per_second = 1},
                                         {.score = 10, .units_per_second = 3}};
  const auto shares = split(SplitStrategy::equal, devices, {.units = 7});
  EXPECT_THAT(shares.units, ElementsAre(4, 3));
  EXPECT_DOUBLE_EQ(shares.seconds[0], 4);
  EXPECT_DOUBLE_EQ(shares.seconds[1], 1);
  EXPECT_DOUBLE_EQ(shares.balance, 2.5 / 4);
}

TEST(Splits, PrefersMeasuredSpeedToScore) {
  const std::vector<DeviceSpeed> devices{{.score = 10, .units_per_second = 300},
                                         {.score = 90, .units_per_second = 100}};
  EXPECT_THAT(split(SplitStrategy::measured_speed, devices, {.units = 100}).units,
              ElementsAre(75, 25));
}

TEST(Splits, ScoreReplacesUnmeasuredSpeed) {
  // Twice the score of the measured device: taken as twice as fast.
  const std::vector<DeviceSpeed> devices{{.score = 40, .units_per_second = 10}, {.score = 80}};
  const auto shares = split(SplitStrategy::measured_speed, devices, {.units = 90});
  EXPECT_THAT(shares.units, ElementsAre(30, 60));
  EXPECT_DOUBLE_EQ(shares.seconds[0], shares.seconds[1]);
}

TEST(Splits, MemoryLimitsShares) {
  const std::vector<DeviceSpeed> devices{{.units_per_second = 8, .memory_bytes = 1000},
                                         {.units_per_second = 1, .memory_bytes = 10'000},
                                         {.units_per_second = 1}};
  const SharedWork work{.units = 100, .bytes_per_unit = 20, .bytes_at_least = 200};
  EXPECT_THAT(split(SplitStrategy::memory_aware, devices, work).units, ElementsAre(40, 30, 30));
  EXPECT_THAT(split(SplitStrategy::measured_speed, devices, work).units, ElementsAre(80, 10, 10));
}

TEST(Splits, RefusesWorkBeyondMemory) {
  const std::vector<DeviceSpeed> devices{{.memory_bytes = 1000}, {.memory_bytes = 100}};
  const SharedWork work{.units = 100, .bytes_per_unit = 20, .bytes_at_least = 200};
  try {
    (void)split(SplitStrategy::memory_aware, devices, work);
    FAIL() << "100 units found room";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("memory for 40"));
  }
}

TEST(Splits, EveryDeviceGetsMinimum) {
  const std::vector<DeviceSpeed> devices{{.units_per_second = 1000}, {.units_per_second = 1}, {}};
  const SharedWork work{.units = 10, .units_at_least = 1};
  EXPECT_THAT(split(SplitStrategy::lowest_latency, devices, work).units, ElementsAre(6, 1, 3));
  EXPECT_THAT(split(SplitStrategy::equal, devices, {.units = 2, .units_at_least = 1}).units,
              ElementsAre(1, 1, 0));
}

TEST(Splits, DelayingDeviceGetsNothing) {
  const std::vector<DeviceSpeed> devices{{.units_per_second = 100},
                                         {.units_per_second = 100, .seconds_before = 5}};
  const auto few = split(SplitStrategy::lowest_latency, devices, {.units = 100});
  EXPECT_THAT(few.units, ElementsAre(100, 0));
  const auto many = split(SplitStrategy::lowest_latency, devices, {.units = 10'000});
  EXPECT_EQ(total_units(many), 10'000);
  EXPECT_THAT(many.units, ElementsAre(5250, 4750));
}

TEST(Splits, FillsGroups) {
  // Groups of 16 units; the second device is busy with other work for a third of its time.
  std::vector<DeviceSpeed> devices(2);
  for (std::int64_t group = 1; group <= 8; ++group) {
    devices[0].time_steps.push_back({16 * group, 1.0 * static_cast<double>(group)});
    devices[1].time_steps.push_back({16 * group, 1.5 * static_cast<double>(group)});
  }
  const auto shares = split(SplitStrategy::lowest_latency, devices, {.units = 64});
  EXPECT_THAT(shares.seconds, ElementsAre(3, 3));
  EXPECT_EQ(total_units(shares), 64);
  EXPECT_LE(shares.units[0], 48);
  EXPECT_LE(shares.units[1], 32);
  // In proportion to speed the split would start another group for a few units.
  for (auto& device : devices) device.units_per_second = 16 / device.time_steps[0].seconds;
  EXPECT_DOUBLE_EQ(
      split(SplitStrategy::measured_speed, devices, {.units = 84}).seconds_of_slowest(), 4.5);
  EXPECT_DOUBLE_EQ(
      split(SplitStrategy::lowest_latency, devices, {.units = 84}).seconds_of_slowest(), 4);
  // More units than the last time step covers.
  EXPECT_EQ(total_units(split(SplitStrategy::lowest_latency, devices, {.units = 1000})), 1000);
}

/// Compares with every possible split.
TEST(Splits, LowestLatencyIsOptimal) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> speed(0.5, 4), latency(0, 3);
  for (int round = 0; round < 200; ++round) {
    std::vector<DeviceSpeed> devices;
    devices.reserve(3);
    for (int k = 0; k < 3; ++k) {
      devices.push_back({.units_per_second = speed(random), .seconds_before = latency(random)});
    }
    const std::int64_t units = 12;
    const auto found = split(SplitStrategy::lowest_latency, devices, {.units = units});
    ASSERT_EQ(total_units(found), units);
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t a = 0; a <= units; ++a) {
      for (std::int64_t b = 0; a + b <= units; ++b) {
        double end = 0;
        const std::int64_t shares[] = {a, b, units - a - b};
        for (std::size_t k = 0; k < 3; ++k) {
          if (shares[k] == 0) continue;
          end = std::max(end, devices[k].seconds_before +
                                  static_cast<double>(shares[k]) / *devices[k].units_per_second);
        }
        best = std::min(best, end);
      }
    }
    EXPECT_NEAR(found.seconds_of_slowest(), best, 1e-9 * best);
  }
}

TEST(Splits, EveryStrategyAssignsAllUnits) {
  const std::vector<DeviceSpeed> devices{
      {.score = 31, .units_per_second = 17, .seconds_before = 0.1, .memory_bytes = 1 << 20},
      {.score = 97},
      {.score = 55, .units_per_second = 3}};
  for (std::size_t k = 0; k < split_names().size(); ++k) {
    for (const std::int64_t units : {0, 1, 2, 3, 1000, 1'000'003}) {
      const auto strategy = static_cast<SplitStrategy>(k);
      const auto shares = split(strategy, devices, {.units = units, .bytes_per_unit = 8});
      EXPECT_EQ(total_units(shares), units) << name_of(strategy);
      for (const auto n : shares.units) EXPECT_GE(n, 0);
    }
  }
}

TEST(Splits, CommunicationScalesWithSurface) {
  const std::vector<DeviceSpeed> devices(2), one(1);
  const SharedWork space{.units = 2'000'000, .border_factor = 6, .bytes_per_border_unit = 10};
  EXPECT_NEAR(split(SplitStrategy::equal, devices, space).communication_bytes, 2 * 6e4 * 10, 1e-3);
  EXPECT_EQ(split(SplitStrategy::equal, one, space).communication_bytes, 0);
  EXPECT_EQ(split(SplitStrategy::equal, devices, {.units = 64}).communication_bytes, 0);
}

TEST(Splits, RefusesNumbersOutOfRange) {
  const std::vector<DeviceSpeed> none, no_score{{.score = 0}}, no_speed{{.units_per_second = 0}};
  EXPECT_THROW((void)split(SplitStrategy::equal, none, {.units = 1}), std::invalid_argument);
  EXPECT_THROW((void)split(SplitStrategy::equal, no_score, {.units = 1}), std::invalid_argument);
  EXPECT_THROW((void)split(SplitStrategy::equal, no_speed, {.units = 1}), std::invalid_argument);
  const std::vector<double> all_zero{0, 0};
  EXPECT_THROW((void)shares_in_proportion(3, all_zero), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::core
