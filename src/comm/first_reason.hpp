// One reason out of those of all ranks, the same on every rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "comm/communicator.hpp"
#include "core/failure.hpp"

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

/// Returns a message for other ranks, with the outcome as its first character.
[[nodiscard]] inline std::string pack(core::Outcome outcome, std::string_view message) {
  return static_cast<char>('a' + static_cast<int>(outcome)) + std::string(message);
}
/// Removes the outcome from a message of pack() and returns it.
[[nodiscard]] inline core::Outcome unpack(std::string& message) {
  const auto outcome = static_cast<core::Outcome>(message[0] - 'a');
  message.erase(0, 1);
  return outcome;
}

/// Returns the lowest rank's failure on every rank, as one of all ranks and without its suspect;
/// none if no rank has one. Collective.
[[nodiscard]] inline std::optional<core::Failure> first_failure(
    const Communicator& communicator, const std::optional<core::Failure>& mine) {
  auto first = first_reason(communicator, mine ? pack(mine->outcome(), mine->what()) : "");
  if (!first) return std::nullopt;
  const auto outcome = unpack(first->text);
  return core::Failure(first->text, outcome, core::Reach::all_ranks);
}

}  // namespace nfold::comm
