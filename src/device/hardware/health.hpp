// Health of a device, with reasons, computed from its readings alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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
/// or by the hardware, the temperature at its limit, memory or time taken by other processes,
/// slower than its peers. The power limit alone is no reason, since a loaded GPU works at it.
/// own_pids: processes that do not count as others; peers: devices to compare with, may include the
/// device.
[[nodiscard]] Health assess_health(const Gpu& gpu, std::span<const Gpu* const> peers = {},
                                   std::span<const std::int64_t> own_pids = {});

/// Describes why heat or the hardware reduces the clock, separated by "; "; empty if neither does.
[[nodiscard]] std::string describe_throttling(const Gpu& gpu);

/// Returns the other devices of the same model name.
[[nodiscard]] std::vector<const Gpu*> same_model_devices(const Gpu& gpu,
                                                         std::span<const NodeInventory> nodes);

/// Fraction of its peers' median speed below which a device is doubtful.
inline constexpr double min_speed_fraction = 0.9;
/// Fraction of a device's memory above which the memory of other processes makes it doubtful.
inline constexpr double max_foreign_memory_fraction = 0.05;
/// Utilisation from which the load of other processes makes a device doubtful.
inline constexpr double max_foreign_utilisation = 0.5;

}  // namespace nfold::hardware
