// MPI_Comm of a Communicator, included only by comm.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "comm/communicator.hpp"

namespace nfold::comm {

struct Communicator::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::size_t largest_message_bytes = 0;  // <= INT_MAX
};

/// Returns the MPI_Comm, MPI_COMM_SELF for a communicator without MPI (MPI must have been started).
[[nodiscard]] inline MPI_Comm mpi_comm(const Communicator& communicator) {
  return communicator.handle() == nullptr ? MPI_COMM_SELF : communicator.handle()->comm;
}

}  // namespace nfold::comm
