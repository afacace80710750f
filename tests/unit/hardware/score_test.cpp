// Scores on the scale of hardware/score.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/score.hpp"

#include <gtest/gtest.h>

namespace nfold::hardware {
namespace {

Gpu make_gpu(int units, int most_clock_mhz) {
  Gpu gpu;
  gpu.compute_units = units;
  gpu.most_clock_mhz = most_clock_mhz;
  return gpu;
}

// Multiprocessors and boost clocks are those of NVIDIA's data sheets.
const Gpu h100 = make_gpu(132, 1980);
const Gpu rtx_4060 = make_gpu(24, 2460);

TEST(Score, H100Is100) { EXPECT_DOUBLE_EQ(score_of(h100), 100); }

TEST(Score, H100IsFourTimesLaptopGpu) {
  EXPECT_NEAR(score_of(h100) / score_of(rtx_4060), 4.4, 0.1);
}

TEST(Score, CoreMatchesCondensateSpeed) {
  // input/machines/h200.yaml: 1,980 steps/s of 1,000,000 residues on one H200, 103 steps/s of
  // 20,000 residues on a core of 3.7 GHz.
  Cpu core;
  core.cores = 1;
  core.most_clock_mhz = 3700;
  EXPECT_NEAR(score_of(h100) / score_of(core), 1980e6 / (103 * 20'000), 2);
}

TEST(Score, UnknownClockIsReference) {
  Gpu gpu;
  gpu.compute_units = 66;
  EXPECT_DOUBLE_EQ(score_of(gpu), 50);
  EXPECT_DOUBLE_EQ(score_of(Gpu()), 0);
}

TEST(AvailableScore, SubtractsUse) {
  auto gpu = h100;
  EXPECT_DOUBLE_EQ(available_score(gpu), 100);
  gpu.utilisation = 0.25;
  EXPECT_DOUBLE_EQ(available_score(gpu), 75);
  gpu.utilisation = 1.5;
  EXPECT_DOUBLE_EQ(available_score(gpu), 0);
}

TEST(AvailableScore, CountsClockOfThrottledGpuOnly) {
  auto gpu = h100;
  gpu.clock_mhz = 495;  // a quarter, as an idle GPU may have
  EXPECT_DOUBLE_EQ(available_score(gpu), 100);
  gpu.throttle_reasons = std::vector<std::string>{"power limit"};
  EXPECT_DOUBLE_EQ(available_score(gpu), 100);
  gpu.throttle_reasons = std::vector<std::string>{"hardware slowdown"};
  EXPECT_DOUBLE_EQ(available_score(gpu), 25);
}

}  // namespace
}  // namespace nfold::hardware
