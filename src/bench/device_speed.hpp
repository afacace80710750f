// What `nfold devices --measure` measures, each device in a process of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hardware/inventory.hpp"

namespace nfold::bench {

/// In the process of a device: the one that it sees, or, with links, what lies between all that it
/// sees. Prints one line of JSON.
void measure_here(bool links);

/// Measures the CPU, in a build for CPUs, or the GPUs of this place among so many, in one for GPUs,
/// by processes of their own: what crashes or hangs there is that device's failure, and told.
void measure_devices(hardware::NodeInventory& node, int place, int places);

}  // namespace nfold::bench
