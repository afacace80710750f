// Agreement of all ranks on the success of a file operation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "comm/communicator.hpp"
#include "comm/first_reason.hpp"
#include "core/storage/file_error.hpp"

namespace nfold::io {

/// Runs `action` on this rank (it may do nothing on most). If it fails on any rank, throws
/// FileError on every rank, with the message and outcome of the lowest one. `action` must not
/// contain collective calls that a failure would skip. Collective.
template <class Action>
void run_all_or_none(const comm::Communicator& communicator, Action&& action) {
  std::optional<core::Failure> mine;
  try {
    action();
  } catch (const core::Failure& failure) {
    mine = failure;
  } catch (const std::exception& failure) {
    mine.emplace(failure.what());
  }
  const auto first = comm::first_failure(communicator, mine);
  if (first) throw storage::FileError(first->what(), first->outcome());
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

}  // namespace nfold::io
