// Ranks that have run out of work, and invitations to join the work of others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/shared_integers.hpp"

namespace nfold::comm {

/// Work that an idle rank is invited to join.
struct Invitation {
  std::int64_t item = 0;
  std::vector<int> members;  ///< all ranks of the new group, including this one
};

/// Estimate of the work of a busy rank, visible to all ranks.
struct OpenWork {
  std::int64_t remaining_milliseconds = 0;  ///< with the present number of ranks
  int ranks = 1, most_ranks = 1;            ///< working on it, and at most useful
};

/// Idle ranks wait until a busy rank claims and invites them, or until no rank is busy and none can
/// invite. All state lies in memory of rank 0, so that busy ranks are never interrupted and only
/// construction and destruction are collective.
class IdleRanks {
 public:
  /// Collective. All ranks start as busy.
  explicit IdleRanks(const Communicator& communicator);

  /// Waits for an invitation, as an idle rank. None: all work is done. After an invitation the rank
  /// is busy again.
  [[nodiscard]] std::optional<Invitation> wait();
  /// Marks this rank as neither busy nor available from now on.
  void leave();

  /// Returns the ranks that are idle now.
  [[nodiscard]] std::vector<int> idle() const;
  /// Claims these ranks and returns those that no other rank had claimed. A claimed rank waits for
  /// invite() or release().
  [[nodiscard]] std::vector<int> claim(std::span<const int> wanted);
  /// Makes claimed ranks idle again.
  void release(std::span<const int> claimed);
  /// Invites claimed ranks to an item. members: the new group, including the claimed ranks.
  void invite(std::span<const int> claimed, std::int64_t item, std::span<const int> members);

  /// Publishes the work of this rank, or of the group that it represents.
  void publish_work(const OpenWork& work);
  void publish_no_work() { publish_work({}); }
  /// (ranks) The work published last; remaining_milliseconds 0: none.
  [[nodiscard]] std::vector<OpenWork> published_work() const;

 private:
  [[nodiscard]] std::int64_t index_of(std::int64_t kind, int rank) const;

  int rank_, ranks_;
  SharedIntegers shared_;
};

}  // namespace nfold::comm
