// Non-blocking messages, cut into pieces.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/messages.hpp"

#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"

namespace nfold::comm {

Messages::Messages(const Communicator::Handle& handle, MessageTag tag)
    : handle_(handle), tag_(static_cast<int>(tag)) {}

Messages::~Messages() {
  // Requests are left only during stack unwinding, when the peer may never answer.
  for (auto& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  for (auto& request : sends_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

void Messages::send(const std::byte* data, std::size_t size, int to) {
  for_each_piece(size, handle_.largest_message_bytes, [&](std::size_t first, int count) {
    check_mpi(MPI_Isend(data + first, count, MPI_BYTE, to, tag_, handle_.comm,
                        &sends_.emplace_back(MPI_REQUEST_NULL)));
  });
}

void Messages::receive(std::byte* data, std::size_t size, int from) {
  for_each_piece(size, handle_.largest_message_bytes, [&](std::size_t first, int count) {
    check_mpi(MPI_Irecv(data + first, count, MPI_BYTE, from, tag_, handle_.comm,
                        &receives_.emplace_back(MPI_REQUEST_NULL)));
  });
}

void Messages::wait() {
  for (auto* requests : {&receives_, &sends_}) {
    check_mpi(
        MPI_Waitall(static_cast<int>(requests->size()), requests->data(), MPI_STATUSES_IGNORE));
    requests->clear();
  }
}

}  // namespace nfold::comm
