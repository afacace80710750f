// For how many residues a rank's memory has room.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "device/devices_of_job.hpp"
#include "dynamics/engine.hpp"

namespace nfold::run {

/// By what the engine takes now and what the device has free; the largest number where no device
/// bounds it. Null: no device is known.
[[nodiscard]] std::int64_t most_residues(const dynamics::EngineStatistics& statistics,
                                         device::DevicesOfJob* devices);

}  // namespace nfold::run
