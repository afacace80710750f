// Largest number of residues that a rank's memory holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/job_devices.hpp"
#include "engine/engine.hpp"

namespace nfold::run {

/// Computed from the memory that the engine uses and the free memory of the device; the largest
/// integer if no device bounds it. devices: null if unknown.
[[nodiscard]] std::int64_t residue_capacity(const engine::EngineStatistics& statistics,
                                            device::JobDevices* devices);

}  // namespace nfold::run
