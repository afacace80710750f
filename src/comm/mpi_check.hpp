// The one check of MPI's return codes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <source_location>

namespace nfold::comm {

/// Throws CommunicationError naming call site, rank and MPI's reason unless code is MPI_SUCCESS.
/// Effective only on communicators that return errors (world() sees to that).
void check_mpi(int code, std::source_location at = std::source_location::current());

}  // namespace nfold::comm
