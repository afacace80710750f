// Whether MPI moves what stands in a GPU's memory by itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::comm {

/// What the MPI library in use answers to MPIX_Query_cuda_support(); false for one that cannot be
/// asked (no mpi-ext.h, or one without CUDA in it, when nfold was built). MPI must have been
/// started. True has not been met yet: nfold has been run with MPI libraries that say no only.
[[nodiscard]] bool mpi_takes_device_memory();

}  // namespace nfold::comm
