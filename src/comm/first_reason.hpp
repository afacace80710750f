// One reason out of those of all ranks, the same on every rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "comm/communicator.hpp"

namespace nfold::comm {

struct Reason {
  int rank;
  std::string text;
};

/// Returns the lowest rank's reason on every rank; none if all are empty. Collective.
[[nodiscard]] inline std::optional<Reason> first_reason(const Communicator& communicator,
                                                        const std::string& reason) {
  const int rank = communicator.rank(), size = communicator.size();
  const auto first = static_cast<int>(communicator.min(reason.empty() ? size : rank));
  if (first == size) return std::nullopt;
  return Reason{first, communicator.broadcast(reason, first)};
}

}  // namespace nfold::comm
