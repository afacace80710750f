// Ranks whose device failed withdraw, and what they were working on goes to those that live on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batch/fault.hpp"
#include "comm/communicator.hpp"
#include "comm/suspect.hpp"

namespace nfold::batch {

/// A rank that computes nothing any more. It still comes to what all ranks do together.
struct Withdrawn {
  comm::Suspect suspect;
  std::string reason;
};
/// "rank 1 (host n1, GPU GPU-8f3a) withdrew: REASON".
[[nodiscard]] std::string in_words(const Withdrawn& withdrawn);

/// A line of batch.incidents.jsonl. storage::FileError.
void append_incident(const std::filesystem::path& file, const std::string& target,
                     const DeviceFailure& failure);

/// Of the ranks of one space, which draw targets from one queue.
class Withdrawals {
 public:
  explicit Withdrawals(const comm::Communicator& alike);

  /// This rank's device, from now on.
  void withdraw(const DeviceFailure& failure);
  [[nodiscard]] bool has_withdrawn() const { return own_.has_value(); }
  /// Another is to do it. is_blamed: a device failed under it. On one or more ranks.
  void hand_back(std::size_t target, bool is_blamed);
  /// Whether a device has failed under it before.
  [[nodiscard]] bool was_blamed(std::size_t target) const;

  /// Collective over `alike`, when all have drawn what there was: targets that were handed back, on
  /// all ranks and in their order.
  [[nodiscard]] std::vector<std::size_t> agree();
  /// By the last agreement. Those that live on, in their order; of a rank that does not, itself.
  [[nodiscard]] const comm::Communicator& live() const { return live_; }
  [[nodiscard]] int live_count() const { return static_cast<int>(live_ranks_.size()); }
  /// The first of them, of `alike`.
  [[nodiscard]] bool is_first_live() const;

  /// Collective: of all ranks of `world`, on each.
  [[nodiscard]] std::vector<Withdrawn> of_all(const comm::Communicator& world) const;

 private:
  const comm::Communicator& alike_;
  comm::Communicator live_;
  std::vector<int> live_ranks_;  // of alike
  std::optional<Withdrawn> own_;
  std::vector<std::int64_t> handed_back_;  // since the last agreement: 2 x target + is_blamed
  std::set<std::size_t> blamed_;           // targets, by the last agreement
  int agreements_ = 0;
};

}  // namespace nfold::batch
