// Check of MPI return codes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <source_location>

namespace nfold::comm {

/// Throws CommunicationError with call site, rank and MPI's reason unless code is MPI_SUCCESS.
/// Works only on communicators that return errors, as world() sets up.
void check_mpi(int code, std::source_location at = std::source_location::current());

}  // namespace nfold::comm
