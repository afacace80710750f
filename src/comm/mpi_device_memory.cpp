// Query of CUDA support through mpi-ext.h (Open MPI and compatible libraries).
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/mpi_device_memory.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace nfold::comm {

bool mpi_supports_device_memory() {
#ifdef MPIX_CUDA_AWARE_SUPPORT  // also defined, as 0, by a library without CUDA, which may be
                                // replaced at run time
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace nfold::comm
