// Messages of any length between two ranks, cut into pieces that fit MPI's int counts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {

/// Calls visit(first, count) for pieces of at most `most` (1 to INT_MAX) of `size` items; never if
/// size is 0.
template <class Visit>
void for_each_piece(std::size_t size, std::size_t most, Visit&& visit) {
  for (std::size_t first = 0; first < size; first += most) {
    visit(first, static_cast<int>(std::min(most, size - first)));
  }
}

/// Separates the messages of collectives from those of halo exchanges.
enum class MessageTag : int { collective = 1, halo = 2 };

/// Messages in flight. Both ranks cut a message alike, and MPI keeps the order of messages between
/// two ranks, so the pieces need no numbers.
class Messages {
 public:
  Messages(const Communicator::Handle& handle, MessageTag tag);
  ~Messages();  // abandons messages in flight
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  /// Buffers must stay in place until wait() returns. Sends nothing if size is 0.
  void send(const std::byte* data, std::size_t size, int to);
  void receive(std::byte* data, std::size_t size, int from);
  /// Waits until all messages have left and arrived.
  void wait();

 private:
  const Communicator::Handle& handle_;
  int tag_;
  std::vector<MPI_Request> sends_, receives_;
};

}  // namespace nfold::comm
