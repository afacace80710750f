// Wording of a host's lack of memory.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/host_memory.hpp"

#include <fmt/core.h>

#include "dynamics/device_memory.hpp"

namespace nfold::cli {

HostMemoryError no_host_memory_for(const std::string& what) {
  const auto memory = dynamics::host_memory();
  return HostMemoryError(fmt::format(
      "out of host memory while building {}: {} of {} are free now; each rank holds "
      "the whole system's topology, so take fewer ranks a node, a node with more "
      "memory or a smaller system",
      what, dynamics::memory_text(memory.free_bytes), dynamics::memory_text(memory.total_bytes)));
}

}  // namespace nfold::cli
