// Messages between two ranks of any length, cut into pieces that MPI's int counts can hold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {

/// Calls visit(first, count) for size items in pieces of at most `most` (1 to INT_MAX); not for 0.
template <class Visit>
void for_each_piece(std::size_t size, std::size_t most, Visit&& visit) {
  for (std::size_t first = 0; first < size; first += most) {
    visit(first, static_cast<int>(std::min(most, size - first)));
  }
}

/// Keeps the messages of collectives and of halos apart.
enum class MessageTag : int { collective = 1, halo = 2 };

/// Messages under way. Both ends cut a message alike and MPI keeps the order of a pair's messages,
/// so the pieces of one tag meet without numbers.
class Messages {
 public:
  Messages(const Communicator::Handle& handle, MessageTag tag);
  ~Messages();  // gives up what is still under way
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  /// Buffers stay in place until wait() returns. Nothing is sent for size 0.
  void send(const std::byte* data, std::size_t size, int to);
  void receive(std::byte* data, std::size_t size, int from);
  /// Until all of them have left and arrived.
  void wait();

 private:
  const Communicator::Handle& handle_;
  int tag_;
  std::vector<MPI_Request> sends_, receives_;
};

}  // namespace nfold::comm
