// Errors for exhausted host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace nfold::job {

/// Failed allocation on the host; the message names the data.
class HostMemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
[[nodiscard]] HostMemoryError make_host_memory_error(const std::string& what);

/// Returns what() of a failure. For std::bad_alloc returns a message with the current phase
/// (comm/waiting.hpp) and the free memory.
[[nodiscard]] std::string describe_failure(const std::exception& failure);

/// Calls build() and throws HostMemoryError instead of std::bad_alloc. what: action for the
/// message, "building the topology of x.yaml".
template <class Build>
auto with_host_memory(const std::string& what, Build&& build) -> decltype(build()) {
  try {
    return build();
  } catch (const std::bad_alloc&) {
    throw make_host_memory_error(what);
  }
}

}  // namespace nfold::job
