// What a host without memory for a large system says.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace nfold::job {

/// Something found no room on the host; the text says what.
class HostMemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
[[nodiscard]] HostMemoryError no_host_memory_for(const std::string& what);

/// what() of a failure; of std::bad_alloc, which says nothing, the phase that the process is in
/// (comm/waiting.hpp) and the memory that is left.
[[nodiscard]] std::string message_of(const std::exception& failure);

/// build(); in place of std::bad_alloc a HostMemoryError that names what was being done:
/// "building the topology of x.yaml".
template <class Build>
auto with_host_memory(const std::string& what, Build&& build) -> decltype(build()) {
  try {
    return build();
  } catch (const std::bad_alloc&) {
    throw no_host_memory_for(what);
  }
}

}  // namespace nfold::job
