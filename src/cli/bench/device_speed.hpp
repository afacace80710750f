// Measurements of `nfold devices --measure`, each device in a process of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "device/hardware/inventory.hpp"

namespace nfold::bench {

/// Runs in a child process. Measures its one visible device or, with `links`, the links between all
/// visible devices. Prints an inventory with only these speeds, those of the device as its CPU's.
void measure_here(bool links);

/// Measures the CPU (CPU build) or this rank's share of the GPUs (GPU build) in child processes: a
/// crash or hang there is recorded as that device's failure. place, places: rank and number of
/// ranks on the node.
void measure_devices(hardware::NodeInventory& node, int place, int places);

}  // namespace nfold::bench
