// How much memory is free where the engine will put its arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"

namespace nfold::dynamics {

struct FreeMemory {
  bool on_gpu = false;
  std::int64_t device_bytes = 0;  ///< of this rank's device; without a GPU the same as host_bytes
  std::int64_t host_bytes = 0;
};

/// Collective: what is free now, shared evenly with the ranks of this node that use the same device
/// or host. Needs a ComputeEnvironment. Where the system does not tell, 2^62.
[[nodiscard]] FreeMemory free_memory(const comm::Communicator& communicator);

}  // namespace nfold::dynamics
