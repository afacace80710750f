// Device memory that the GPUs of a node write into.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/device_memory.hpp"

namespace nfold::halo {

/// Permission for ranks that share one GPU in time slices to use peer memory; slow, but correct.
enum class SharedGpu { forbidden, allowed };

/// Groups of ranks that can open each other's memory.
struct PeerGroups {
  std::vector<int> island;  ///< (ranks) island of each rank, from comm::peer_islands()
  std::string reason;       ///< reason why there is more than one island; empty if there is one
};

/// One allocation of device memory per rank, open to all ranks of its island through CUDA IPC.
class PeerMemory {
 public:
  /// Collective; same result on all ranks. Finds the islands and tests them by an attempt. Ranks of
  /// an island are on one node, each with its own GPU unless sharing is allowed. node: (ranks),
  /// from comm::gather_rank_nodes().
  [[nodiscard]] static PeerGroups groups(const comm::Communicator& communicator,
                                         const std::vector<int>& node, SharedGpu sharing);

  /// Collective over the island. members: its ranks.
  PeerMemory(const comm::Communicator& communicator, const std::vector<int>& members);
  /// All following functions are collective over the island.
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// Reserves at least `bytes` here, zeroed; sizes may differ between ranks. Returns true if the
  /// memory of any rank was reallocated; then all pointers change. No kernel may use the memory of
  /// any rank meanwhile. Throws std::runtime_error on all ranks if it fails.
  bool reserve(std::size_t bytes);
  /// Index of a rank within the island, from 0; -1: in another island.
  [[nodiscard]] int island_index(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  /// Memory of a rank in this GPU's address space; null for a rank of another island.
  [[nodiscard]] std::byte* of(int rank) const { return base_[static_cast<std::size_t>(rank)]; }

 private:
  PeerMemory(const comm::Communicator& communicator, const std::vector<int>& members, int tag);
  void close();
  void open();

  comm::Communicator island_;
  std::vector<int> members_;      // ranks of the island, in the communicator
  std::vector<int> place_;        // (ranks)
  std::vector<std::byte*> base_;  // (ranks)
  std::size_t bytes_ = 0;
  device::DeviceShare share_;
};

}  // namespace nfold::halo
