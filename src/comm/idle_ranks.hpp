// Ranks that have no work of their own any more, and whom others at work ask to join them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/shared_words.hpp"

namespace nfold::comm {

/// Work that an idle rank is asked to share.
struct Invitation {
  std::int64_t item = 0;
  std::vector<int> members;  ///< all who will work on it, this rank among them
};

/// What a rank at work tells the others of it.
struct OpenWork {
  std::int64_t rest_milliseconds = 0;  ///< until it ends as it is
  int ranks = 1, most_ranks = 1;       ///< that work on it, that could
};

/// An idle rank waits until another one claims it and then invites it, or until no rank is at work
/// any more: then nobody can invite. All of it is said in words that lie on rank 0, so that who is
/// at work is never disturbed and nothing is collective.
class IdleRanks {
 public:
  /// Collective; all ranks are at work.
  explicit IdleRanks(const Communicator& communicator);

  /// Of a rank without work. None: all work is done. After an invitation it is at work again.
  [[nodiscard]] std::optional<Invitation> wait();
  /// This rank neither works nor helps from now on.
  void leave();

  /// Those that wait now.
  [[nodiscard]] std::vector<int> idle() const;
  /// Of these, those that nobody else has claimed before: they wait for this rank's word.
  [[nodiscard]] std::vector<int> claim(std::span<const int> wanted);
  /// They are idle again.
  void release(std::span<const int> claimed);
  /// members: whom the claimed ones work with from now on, with themselves.
  void invite(std::span<const int> claimed, std::int64_t item, std::span<const int> members);

  /// Of the work of this rank, or of a group in whose name it speaks.
  void tell(const OpenWork& work);
  void tell_no_work() { tell({}); }
  /// (ranks) What was told last; rest_milliseconds 0: nothing.
  [[nodiscard]] std::vector<OpenWork> told() const;

 private:
  [[nodiscard]] std::int64_t word(std::int64_t kind, int rank) const;

  int rank_, ranks_;
  SharedWords words_;
};

}  // namespace nfold::comm
