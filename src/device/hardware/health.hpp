// Health of a device: a verdict with its reasons, from readings alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

/// doubtful: computes slower or with less memory than it should. unfit: a run may fail or be wrong
/// on it.
enum class HealthLevel { healthy, doubtful, unfit };
[[nodiscard]] std::string health_level_name(HealthLevel level);

struct Health {
  HealthLevel level = HealthLevel::healthy;
  std::vector<std::string> reasons;  ///< most serious first
};

/// Returns the health of a device. Unfit: lost, uncorrected errors since the last reset, rows that
/// could not be remapped. Doubtful: a remap that is pending until a reset, clocks reduced by heat
/// or by the hardware, the temperature at its limit, memory or time taken by others, slower than
/// its twins. The power limit alone is no reason, since a busy GPU works at it. own_pids: processes
/// that do not count as others; twins: devices to compare with, may include the device itself.
[[nodiscard]] Health health_of(const Gpu& gpu, std::span<const Gpu* const> twins = {},
                               std::span<const std::int64_t> own_pids = {});

/// Returns why heat or the hardware reduces the clock, separated by "; "; empty if neither does.
[[nodiscard]] std::string throttle_text(const Gpu& gpu);

/// Returns the other devices of the same name.
[[nodiscard]] std::vector<const Gpu*> twins_of(const Gpu& gpu,
                                               std::span<const NodeInventory> nodes);

/// Fraction of the twins' median speed below which a device is doubtful.
inline constexpr double slowest_share_of_twins = 0.9;
/// Fraction of the memory that others may hold before it counts.
inline constexpr double negligible_share_of_memory = 0.05;
/// Utilisation by others above which it counts.
inline constexpr double busy_share = 0.5;

}  // namespace nfold::hardware
