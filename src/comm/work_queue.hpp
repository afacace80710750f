// Work that ranks draw for themselves: a shared counter of tickets, and groups of who drew alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/shared_words.hpp"

namespace nfold::comm {

/// What one rank is to do, and with whom.
struct Draw {
  std::int64_t item = 0;
  Communicator group;      ///< of the ranks that work on it, in the order of their tickets
  bool has_group = false;  ///< false: fewer ranks draw than it is for, and no rank works on it
};

/// (ranks) The ticket that each rank begins with, where nodes (ranks) name each one's node: in the
/// order of the items, those of one item are of one node if a node has room for them, of the one
/// with the least room to spare, and else of as few nodes as can be.
[[nodiscard]] std::vector<std::int64_t> first_tickets_by_node(const std::vector<int>& ranks_of,
                                                              std::span<const int> nodes);

/// Items in their order, each for so many ranks: as many tickets. Each rank begins with a ticket of
/// its own, so that groups lie within nodes. The rest is drawn one after another from a counter
/// that lies on rank 0 and is counted up from afar, so that nobody's work is disturbed and no rank
/// only hands out. Ranks with tickets of one item wait for each other and form a group
/// (MPI_Comm_create_group). A Communicator of one rank needs no MPI.
class WorkQueue {
 public:
  /// Collective. ranks_of: (items) how many work on each, from 1 to the communicator's size. nodes:
  /// (ranks) as nodes_of() has them, the same on all. std::invalid_argument.
  WorkQueue(const Communicator& communicator, const std::vector<int>& ranks_of,
            std::span<const int> nodes);

  /// The next item; none when all are drawn, after close(), or when this rank waits for others of
  /// its group and `gives_up` says so (then close() is implied). Not collective.
  [[nodiscard]] std::optional<Draw> next(const std::function<bool()>& gives_up);
  /// This rank draws no more, while others do. After its first draw. Not collective.
  void withdraw();
  /// Nobody draws anything any more. Not collective.
  void close();

 private:
  [[nodiscard]] std::int64_t draw_ticket();
  [[nodiscard]] std::optional<Draw> join(std::int64_t ticket, std::int64_t item,
                                         const std::function<bool()>& gives_up);

  Communicator communicator_;
  std::vector<std::int64_t> first_ticket_;  // (items + 1)
  std::optional<std::int64_t> own_first_;   // until it is drawn
  SharedWords words_;
};

}  // namespace nfold::comm
