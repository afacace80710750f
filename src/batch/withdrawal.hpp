// Failures of devices, and withdrawal of their ranks from a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/failure.hpp"

namespace nfold::batch {

/// True if the target or its file system is at fault. On one rank: every failure except those of
/// MPI. In a group: only a failure that occurs on all its ranks alike.
[[nodiscard]] bool is_target_fault(const std::exception& failure, const comm::Communicator& group);

/// Returns a failure with its suspect: the rank that a silent error was traced to, or the only rank
/// of the group if its device fails a test. The same on all ranks. None if no device is known to be
/// at fault.
[[nodiscard]] std::optional<core::Failure> find_device_failure(const std::exception& failure,
                                                               const comm::Communicator& group);

/// Returns "rank 1 (host n1, GPU GPU-8f3a) withdrew: REASON". Such a rank computes no more, but
/// still takes part in collective calls of the world.
[[nodiscard]] std::string describe_withdrawal(const core::Failure& device_failure);

/// Appends a line to batch.incidents.jsonl. Throws storage::FileError.
void append_incident(const std::filesystem::path& file, const std::string& target,
                     const core::Failure& device_failure);

/// Withdrawals among the ranks of one backend, which draw targets from one queue.
class Withdrawals {
 public:
  explicit Withdrawals(const comm::Communicator& same_backend);

  /// Marks this rank as withdrawn.
  void withdraw(const core::Failure& device_failure);
  [[nodiscard]] bool has_withdrawn() const { return own_.has_value(); }
  /// Hands a target back to the queue. is_blamed: a device failed on it. On one or more ranks.
  void hand_back(std::size_t target, bool is_blamed);
  /// True if a device failed on this target before the last agree().
  [[nodiscard]] bool was_blamed(std::size_t target) const { return blamed_.contains(target); }

  /// Exchanges withdrawals and returns the targets handed back by any rank, sorted. Collective over
  /// the ranks of the backend, at the end of a round.
  [[nodiscard]] std::vector<std::size_t> agree();
  /// Live ranks after the last agree(), in order. On a withdrawn rank: this rank alone.
  [[nodiscard]] const comm::Communicator& live() const { return live_; }
  [[nodiscard]] int live_count() const { return static_cast<int>(live_ranks_.size()); }
  /// True on the first live rank.
  [[nodiscard]] bool is_first_live() const;

  /// Gathers the device failures of the withdrawn ranks of `world` on all ranks. Collective.
  [[nodiscard]] std::vector<core::Failure> gather(const comm::Communicator& world) const;

 private:
  const comm::Communicator& same_backend_;
  comm::Communicator live_;
  std::vector<int> live_ranks_;  // ranks of same_backend_
  std::optional<core::Failure> own_;
  std::vector<std::int64_t> handed_back_;  // since the last agree(): 2 x target + is_blamed
  std::set<std::size_t> blamed_;           // targets, at the last agree()
  int agreements_ = 0;
};

}  // namespace nfold::batch
