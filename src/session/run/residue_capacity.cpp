// Largest number of residues by the device's free memory; tests link a version with others.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/residue_capacity.hpp"

#include <limits>

#include "device/device_memory.hpp"
#include "domain/rebalance.hpp"

namespace nfold::run {

std::int64_t residue_capacity(const engine::EngineStatistics& statistics,
                              device::JobDevices* devices) {
  if (devices == nullptr || !device::computes_on_gpu() || statistics.memory_bytes <= 0) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return domain::residue_capacity(statistics.owned, statistics.memory_bytes,
                                  device::free_memory(*devices).device_bytes);
}

}  // namespace nfold::run
