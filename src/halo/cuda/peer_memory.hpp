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

/// One piece of device memory a rank, open to all ranks of the communicator through CUDA IPC.
class PeerMemory {
 public:
  /// Collective: why that cannot be here, the same on all ranks; empty if it can. All ranks must be
  /// on one node, each with a GPU of its own unless sharing is allowed, and every pair must reach
  /// each other's memory.
  [[nodiscard]] static std::string obstacle(const comm::Communicator& communicator,
                                            SharedGpu sharing);

  explicit PeerMemory(const comm::Communicator& communicator);
  /// Collective.
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// As the memory is called among arrays.
  static constexpr const char* name = "halo.peer_memory";
  /// What is taken where so many bytes are wanted.
  [[nodiscard]] static std::size_t room_of(std::size_t bytes);

  /// Collective: at least so many bytes here, zero at first; the sizes may differ between ranks.
  /// True where any rank's memory was made anew, and then all pointers are others. No kernel may
  /// use the memory of any rank meanwhile. Throws std::runtime_error on all ranks if it fails.
  bool reserve(std::size_t bytes);
  /// Memory of a rank, as this GPU sees it.
  [[nodiscard]] std::byte* of(int rank) const { return base_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_); }

 private:
  void close();
  void open();

  comm::Communicator communicator_;
  std::vector<std::byte*> base_;  // (ranks)
  std::size_t bytes_ = 0;
  device::DeviceShare share_;
};

}  // namespace nfold::halo
