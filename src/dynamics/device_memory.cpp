// Free memory of the device by its driver, of the host by /proc/meminfo.
// SPDX-License-Identifier: BSD-3-Clause

#include "dynamics/device_memory.hpp"

#include <Kokkos_Core.hpp>
#include <fstream>
#include <string>

namespace nfold::dynamics {
namespace {

constexpr std::int64_t untold = std::int64_t{1} << 62U;

std::int64_t free_host_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::int64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return untold;
}

}  // namespace

FreeMemory free_memory(const comm::Communicator& communicator) {
  const int ranks = communicator.node_place().size;
  FreeMemory memory;
  memory.host_bytes = free_host_bytes() / ranks;
  memory.device_bytes = memory.host_bytes;
#ifdef KOKKOS_ENABLE_CUDA
  int devices = 1;
  std::size_t free = 0, total = 0;
  memory.on_gpu = true;
  memory.device_bytes = untold;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 &&
      cudaMemGetInfo(&free, &total) == cudaSuccess) {
    const int sharing = (ranks + devices - 1) / devices;
    memory.device_bytes = static_cast<std::int64_t>(free) / sharing;
  }
#endif
  return memory;
}

}  // namespace nfold::dynamics
