// Lines of text from all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::batch {

/// Returns the lines of all ranks in rank order, on every rank. own: lines that end in \n.
/// Collective.
[[nodiscard]] inline std::vector<std::string> all_gather_lines(
    const comm::Communicator& communicator, const std::string& own) {
  const auto text = communicator.all_gather(std::span<const char>(own));
  std::vector<std::string> lines;
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find(begin, text.end(), '\n');
    lines.emplace_back(begin, end);
    begin = end + 1;
  }
  return lines;
}

}  // namespace nfold::batch
