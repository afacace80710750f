// Scores on the scales that hardware/score.hpp documents.
// SPDX-License-Identifier: BSD-3-Clause
#include "hardware/score.hpp"

#include <gtest/gtest.h>

namespace nfold::hardware {
namespace {

Gpu named(const char* name) {
  Gpu gpu;
  gpu.name = name;
  return gpu;
}

TEST(Score, OfTypesAndBackends) {
  EXPECT_EQ(type_points(DeviceType::data_centre_gpu), 100);
  EXPECT_EQ(type_points(DeviceType::desktop_gpu), 80);
  EXPECT_EQ(type_points(DeviceType::integrated_gpu), 50);
  EXPECT_EQ(type_points(DeviceType::cpu), 20);
  EXPECT_EQ(backend_points(Backend::cuda), 100);
  EXPECT_EQ(backend_points(Backend::openmp), 50);
}

TEST(Score, TypeIsByWholeWordsOfTheName) {
  for (const char* name : {"NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "Tesla T4",
                           "NVIDIA L40S", "NVIDIA GH200 480GB", "NVIDIA H200"}) {
    EXPECT_EQ(type_of(named(name)), DeviceType::data_centre_gpu) << name;
  }
  for (const char* name : {"NVIDIA RTX A1000 Laptop GPU", "NVIDIA GeForce RTX 4090",
                           "NVIDIA RTX A4000", "Quadro P400"}) {
    EXPECT_EQ(type_of(named(name)), DeviceType::desktop_gpu) << name;
  }
  EXPECT_EQ(type_of(named("NVIDIA GB10")), DeviceType::integrated_gpu);
  EXPECT_EQ(type_of(named("Orin (nvgpu)")), DeviceType::integrated_gpu);
}

TEST(Score, OfMemoryAndComputeUnitsEndsAtAHundred) {
  EXPECT_DOUBLE_EQ(memory_points(4'000'000'000), 40);
  EXPECT_DOUBLE_EQ(memory_points(80'000'000'000), 100);
  EXPECT_DOUBLE_EQ(memory_points(std::nullopt), 0);
  EXPECT_DOUBLE_EQ(compute_points(132), 6.6);
  EXPECT_DOUBLE_EQ(compute_points(3000), 100);
  EXPECT_DOUBLE_EQ(compute_points(std::nullopt), 0);
}

TEST(Score, IsTheWeightedSum) {
  // 0.4 x 100 + 0.2 x 100 + 0.2 x 100 + 0.2 x 132 / 20
  auto gpu = named("NVIDIA H100 80GB HBM3");
  gpu.memory_total_bytes = 85'520'809'984;
  gpu.compute_units = 132;
  EXPECT_NEAR(score_of(gpu), 81.32, 1e-9);
  // 0.4 x 20 + 0.2 x 50 + 0.2 x 100 + 0.2 x 64 / 20
  Cpu cpu;
  cpu.memory_total_bytes = 256'000'000'000;
  cpu.cores = 64;
  EXPECT_NEAR(score_of(cpu), 38.64, 1e-9);
}

TEST(BestScore, IsWhatOthersLeave) {
  EXPECT_DOUBLE_EQ(best_score(80, 0.25), 60);
  EXPECT_DOUBLE_EQ(best_score(80, std::nullopt), 80);
  EXPECT_DOUBLE_EQ(best_score(80, 1.5), 0);
}

}  // namespace
}  // namespace nfold::hardware
