// Host name of this node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace nfold::core {

/// Returns the host name; empty if the system has none.
[[nodiscard]] inline std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace nfold::core
