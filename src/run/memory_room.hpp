// Largest number of residues that a rank's memory holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/devices_of_job.hpp"
#include "dynamics/engine.hpp"

namespace nfold::run {

/// Computed from the memory that the engine uses and the free memory of the device; the largest
/// integer if no device bounds it. devices: null if unknown.
[[nodiscard]] std::int64_t most_residues(const dynamics::EngineStatistics& statistics,
                                         device::DevicesOfJob* devices);

}  // namespace nfold::run
