// Messages for exhausted host memory.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/host_memory.hpp"

#include <fmt/core.h>

#include "device/device_memory.hpp"

namespace nfold::job {

core::Failure host_memory_failure(const std::string& when) {
  const auto memory = device::host_memory();
  const bool is_limited = *memory.limit != '\0';
  return core::Failure(
      fmt::format("out of host memory{}{}: {} are free now; each rank holds the whole system's "
                  "topology, so {}take fewer ranks a node, a node with more memory or a smaller "
                  "system",
                  when.empty() ? "" : " ", when, device::describe_memory_size(memory),
                  is_limited ? "raise that limit, " : ""),
      core::Outcome::memory);
}

}  // namespace nfold::job
