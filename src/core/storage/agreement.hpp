// Agreement of all ranks on the success of a file operation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>

#include "comm/communicator.hpp"
#include "core/storage/file_error.hpp"

namespace nfold::storage {

/// Throws FileError on every rank if any rank has an error, with the message of the lowest one.
/// Collective.
inline void agree(const comm::Communicator& communicator, const std::string& my_error) {
  const int size = communicator.size();
  const auto first = communicator.min(my_error.empty() ? size : communicator.rank());
  if (first < size) throw FileError(communicator.broadcast(my_error, static_cast<int>(first)));
}

/// Runs `action` on this rank (it may do nothing on most) and agrees on the outcome. `action` must
/// not contain collective calls that a failure would skip. Collective.
template <class Action>
void all_or_none(const comm::Communicator& communicator, Action&& action) {
  std::string error;
  try {
    action();
  } catch (const std::exception& failure) {
    error = failure.what();
    if (error.empty()) error = "failure without a reason";
  }
  agree(communicator, error);
}

/// Returns the element-wise sum over all ranks, modulo 2^64, for checksums. Collective.
template <std::size_t n>
std::array<std::uint64_t, n> sum_over_ranks(const comm::Communicator& communicator,
                                            const std::array<std::uint64_t, n>& mine) {
  std::array<std::int64_t, n> sums{};
  for (std::size_t k = 0; k < n; ++k) sums[k] = static_cast<std::int64_t>(mine[k]);
  communicator.sum(std::span<std::int64_t>(sums));
  std::array<std::uint64_t, n> all{};
  for (std::size_t k = 0; k < n; ++k) all[k] = static_cast<std::uint64_t>(sums[k]);
  return all;
}

}  // namespace nfold::storage
