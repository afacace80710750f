// Memory of this GPU that the ranks of a node write into, and theirs.
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

/// Whether ranks that take turns on one GPU may exchange so; it is slow, and works.
enum class SharedGpu { is_an_obstacle, is_allowed };

/// Which ranks can open each other's memory.
struct PeerGroups {
  std::vector<int> island;  ///< (ranks) as comm::peer_islands() gives them
  std::string reason;       ///< why not one holds all; empty if it does
};

/// One piece of device memory a rank, open to all ranks of its island through CUDA IPC.
class PeerMemory {
 public:
  /// Collective, the same on all ranks: who reaches whom, as an attempt has shown. Ranks of an
  /// island are on one node, each with a GPU of its own unless sharing is allowed. node: (ranks),
  /// comm::nodes_of().
  [[nodiscard]] static PeerGroups groups(const comm::Communicator& communicator,
                                         const std::vector<int>& node, SharedGpu sharing);

  /// Collective over the island, whose ranks `members` are.
  PeerMemory(const comm::Communicator& communicator, const std::vector<int>& members);
  /// Collective, as all that follows: over the island.
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// At least so many bytes here, zero at first; the sizes may differ between ranks.
  /// True where any rank's memory was made anew, and then all pointers are others. No kernel may
  /// use the memory of any rank meanwhile. Throws std::runtime_error on all of them if it fails.
  bool reserve(std::size_t bytes);
  /// Place of a rank of the communicator in the island, from 0; -1: it is in another.
  [[nodiscard]] int place_of(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  /// Memory of a rank, as this GPU sees it; null for one of another island.
  [[nodiscard]] std::byte* of(int rank) const { return base_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_); }

 private:
  PeerMemory(const comm::Communicator& communicator, const std::vector<int>& members, int tag);
  void close();
  void open();

  comm::Communicator island_;
  std::vector<int> members_;      // of the island, as ranks of the communicator
  std::vector<int> place_;        // (ranks)
  std::vector<std::byte*> base_;  // (ranks)
  std::size_t bytes_ = 0;
  device::DeviceShare share_;
};

}  // namespace nfold::halo
