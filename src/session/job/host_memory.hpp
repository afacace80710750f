// Errors for exhausted host memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <string>

#include "core/failure.hpp"

namespace nfold::job {

/// Returns the failure of an allocation on the host, with the free memory. when: "while reading
/// x.pdb"; may be empty.
[[nodiscard]] core::Failure host_memory_failure(const std::string& when);

/// Calls build() and throws host_memory_failure() instead of std::bad_alloc. what: action for the
/// message, "building the topology of x.yaml".
template <class Build>
auto with_host_memory(const std::string& what, Build&& build) -> decltype(build()) {
  try {
    return build();
  } catch (const std::bad_alloc&) {
    throw host_memory_failure("while " + what);
  }
}

}  // namespace nfold::job
