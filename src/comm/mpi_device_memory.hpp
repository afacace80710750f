// Query for MPI support of GPU memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::comm {

/// Returns the answer of MPIX_Query_cuda_support(); false if nfold was built without mpi-ext.h or
/// with one without CUDA support. MPI must have been started. The true case is untested: all MPI
/// libraries that nfold has run with return false.
[[nodiscard]] bool mpi_supports_device_memory();

}  // namespace nfold::comm
