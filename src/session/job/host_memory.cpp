// Messages for exhausted host memory.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/host_memory.hpp"

#include <fmt/core.h>

#include "comm/waiting.hpp"
#include "device/device_memory.hpp"

namespace nfold::job {
namespace {

/// Returns the message of a failed allocation. when: "while reading x.pdb"; may be empty.
std::string no_memory(const std::string& when) {
  const auto memory = device::host_memory();
  const bool is_limited = *memory.limit != '\0';
  return fmt::format(
      "out of host memory{}{}: {} are free now; each rank holds the whole system's topology, so "
      "{}take fewer ranks a node, a node with more memory or a smaller system",
      when.empty() ? "" : " ", when, device::describe_memory_size(memory),
      is_limited ? "raise that limit, " : "");
}

}  // namespace

HostMemoryError make_host_memory_error(const std::string& what) {
  return HostMemoryError(no_memory("while " + what));
}

std::string describe_failure(const std::exception& failure) {
  const bool no_room = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
  return no_room ? no_memory(comm::wait_phase()) : failure.what();
}

}  // namespace nfold::job
