// Whether a device can be trusted with a run: a verdict with its reasons, from readings alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hardware/inventory.hpp"

namespace nfold::hardware {

/// doubtful: it computes, slower or with less room than it should. unfit: a run may fail on it or
/// be wrong.
enum class Verdict { healthy, doubtful, unfit };
[[nodiscard]] std::string verdict_name(Verdict verdict);

struct Health {
  Verdict verdict = Verdict::healthy;
  std::vector<std::string> reasons;  ///< the gravest first
};

/// Unfit: lost, uncorrected errors since the last reset, rows that could not be remapped. Doubtful:
/// a remap that waits for a reset, clocks held down by heat or by the hardware, the temperature at
/// its limit, memory or time taken by others, slower than its twins. The power limit alone is how a
/// busy GPU works, and no reason.
/// own_pids: processes that are no strangers; twins: devices to compare with, itself may be one.
[[nodiscard]] Health health_of(const Gpu& gpu, std::span<const Gpu* const> twins = {},
                               std::span<const std::int64_t> own_pids = {});

/// Reasons why heat or the hardware holds its clock down, "; " between two; empty: nothing does.
[[nodiscard]] std::string throttle_text(const Gpu& gpu);

/// Devices of the same name that are not this one.
[[nodiscard]] std::vector<const Gpu*> twins_of(const Gpu& gpu,
                                               std::span<const NodeInventory> nodes);

/// A device slower than this share of its twins' median is doubtful.
inline constexpr double slowest_share_of_twins = 0.9;
/// Memory that others may hold before it counts, as a share of all.
inline constexpr double negligible_share_of_memory = 0.05;
/// How busy others may keep a device before it counts.
inline constexpr double busy_share = 0.5;

}  // namespace nfold::hardware
