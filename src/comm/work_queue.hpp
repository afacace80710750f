// Work that ranks draw for themselves: a shared counter of tickets, and groups of who drew alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {

/// What one rank is to do, and with whom.
struct Draw {
  std::int64_t item = 0;
  Communicator group;  ///< of the ranks that work on it, in the order of their tickets
};

/// Items in their order, each for so many ranks: as many tickets, drawn one after another from a
/// counter that lies on rank 0 and is counted up from afar (MPI one-sided), so that nobody's work
/// is disturbed and no rank only hands out. Ranks with tickets of one item wait for each other and
/// form a group (MPI_Comm_create_group). A Communicator of one rank needs no MPI.
class WorkQueue {
 public:
  /// Collective. ranks_of: (items) how many work on each, from 1 to the communicator's size.
  /// std::invalid_argument.
  WorkQueue(const Communicator& communicator, const std::vector<int>& ranks_of);
  /// Collective.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// The next item; none when all are drawn, after close(), or when this rank waits for others of
  /// its group and `gives_up` says so (then close() is implied). Not collective.
  [[nodiscard]] std::optional<Draw> next(const std::function<bool()>& gives_up);
  /// Nobody draws anything any more. Not collective.
  void close();

 private:
  struct Window;
  [[nodiscard]] std::optional<Draw> join(std::int64_t ticket, std::int64_t item,
                                         const std::function<bool()>& gives_up);

  Communicator communicator_;
  std::vector<std::int64_t> first_ticket_;  // (items + 1)
  std::unique_ptr<Window> window_;          // null: one rank
  std::int64_t drawn_alone_ = 0;
};

}  // namespace nfold::comm
