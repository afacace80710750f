// Transports of the halo exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::core {

/// Transport of the halo exchange. automatic: the fastest possible one of the others.
enum class Transport {
  automatic,
  peer_memory,           ///< GPUs of one node write into each other's memory
  peer_memory_and_nccl,  ///< peer memory within groups of ranks that can use it, NCCL between
                         ///< groups
  nccl,
  mpi_device,  ///< MPI reads and writes GPU memory
  mpi          ///< through host memory; the only one between CPUs
};

}  // namespace nfold::core
