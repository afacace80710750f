// Work queue with a shared ticket counter and groups of ranks that drew the same item.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/shared_integers.hpp"

namespace nfold::comm {

/// Item drawn by one rank, and the ranks that share it.
struct Draw {
  std::int64_t item = 0;
  Communicator group;      ///< ranks that work on it, in the order of their tickets
  bool has_group = false;  ///< false: too few ranks still draw, and no rank works on it
};

/// (ranks) The first ticket of each rank. nodes: (ranks) node of each. In the order of the items,
/// the ranks of an item are of one node if one has enough free ranks, of the one with the fewest to
/// spare, and else of as few nodes as possible.
[[nodiscard]] std::vector<std::int64_t> first_tickets_by_node(
    const std::vector<int>& ranks_per_item, std::span<const int> nodes);

/// Items in order, each for a number of ranks and with as many tickets. Each rank starts with a
/// ticket of its own, so that groups lie within nodes. The rest is drawn one by one from a counter
/// on rank 0 by one-sided MPI, so that no rank is interrupted and none only hands out work. Ranks
/// with tickets of one item wait for each other and form a group (MPI_Comm_create_group). A single
/// rank needs no MPI.
class WorkQueue {
 public:
  /// Collective. ranks_per_item: (items) ranks that work on each, from 1 to the communicator's
  /// size. nodes: (ranks) as returned by gather_rank_nodes(), the same on all. Throws
  /// std::invalid_argument.
  WorkQueue(const Communicator& communicator, const std::vector<int>& ranks_per_item,
            std::span<const int> nodes);

  /// Returns the next item; none when all are drawn, after close(), or if should_stop() returns
  /// true while this rank waits for others of its group (which implies close()). Not collective.
  [[nodiscard]] std::optional<Draw> next(const std::function<bool()>& should_stop);
  /// Declares that this rank draws no more while others do. Only after its first draw. Not
  /// collective.
  void withdraw();
  /// Ends drawing on all ranks. Not collective.
  void close();

 private:
  [[nodiscard]] std::int64_t draw_ticket();
  [[nodiscard]] std::optional<Draw> join(std::int64_t ticket, std::int64_t item,
                                         const std::function<bool()>& should_stop);

  Communicator communicator_;
  std::vector<std::int64_t> first_ticket_;  // (items + 1)
  std::optional<std::int64_t> own_first_;   // until it is drawn
  SharedIntegers shared_;
};

}  // namespace nfold::comm
