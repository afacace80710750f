// How good a device is for nfold, as a number from 0 to 100 on documented scales.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hardware/inventory.hpp"

namespace nfold::hardware {

// score = 0.4 type + 0.2 backend + 0.2 min(100, GB x 10) + 0.2 min(100, compute units / 20)
//
// | type | |   | backend | |
// | --- | --- | --- | --- | --- |
// | GPU of a data centre | 100 |   | CUDA | 100 |
// | GPU of a workstation or a desktop | 80 |   | OpenMP, on a CPU | 50 |
// | GPU that shares the host's memory | 50 |
// | CPU | 20 |
//
// Compute units are multiprocessors of a GPU and cores of a CPU; GB are 10^9 bytes of the device's
// whole memory. What is not known counts 0.

enum class DeviceType { data_centre_gpu, desktop_gpu, integrated_gpu, cpu };
enum class Backend { cuda, openmp };

/// By the name that the driver gives it.
[[nodiscard]] DeviceType type_of(const Gpu& gpu);

[[nodiscard]] double type_points(DeviceType type);
[[nodiscard]] double backend_points(Backend backend);
[[nodiscard]] double memory_points(std::optional<std::int64_t> bytes);
[[nodiscard]] double compute_points(std::optional<int> compute_units);

[[nodiscard]] double score_of(DeviceType type, Backend backend,
                              std::optional<std::int64_t> memory_bytes,
                              std::optional<int> compute_units);
[[nodiscard]] double score_of(const Gpu& gpu);
[[nodiscard]] double score_of(const Cpu& cpu);

/// What is left of a score on a device that others use, 0 to 1; unknown counts as unused.
[[nodiscard]] double best_score(double score, std::optional<double> use);

}  // namespace nfold::hardware
