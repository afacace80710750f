// Check of halo routes, common to all transports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <span>
#include <stdexcept>

#include "comm/communicator.hpp"

namespace nfold::comm {

/// Throws std::invalid_argument for a route of `rank` to a peer outside 0 .. size - 1, or for a
/// route to itself with unequal numbers of bytes to send and receive.
inline void check_routes(std::span<const Route> routes, int rank, int size) {
  for (const auto& route : routes) {
    if (route.peer < 0 || route.peer >= size ||
        (route.peer == rank && route.send_bytes != route.receive_bytes)) {
      throw std::invalid_argument(
          fmt::format("halo route of rank {} to rank {} of {} cannot be", rank, route.peer, size));
    }
  }
}

}  // namespace nfold::comm
