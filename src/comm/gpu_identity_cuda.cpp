// Bus id and UUID of a rank's own GPU, read through CUDA.
// SPDX-License-Identifier: BSD-3-Clause

#include <cuda_runtime.h>

#include <cstring>

#include "comm/gpu_identity.hpp"

namespace nfold::comm {

std::string find_own_gpu(GpuIdentity& gpu) {
  int device = 0;
  cudaDeviceProp properties{};
  auto code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaGetDeviceProperties(&properties, device);
  if (code == cudaSuccess) {
    code = cudaDeviceGetPCIBusId(gpu.pci_bus.data(), static_cast<int>(gpu.pci_bus.size()), device);
  }
  if (code != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(code);
  static_assert(sizeof(properties.uuid.bytes) == sizeof(gpu.id));
  std::memcpy(gpu.id.data(), properties.uuid.bytes, gpu.id.size());
  return {};
}

std::vector<GpuId> find_visible_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return {};
  std::vector<GpuId> seen;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return {};
    GpuId id{};
    std::memcpy(id.data(), properties.uuid.bytes, id.size());
    seen.push_back(id);
  }
  return seen;
}

}  // namespace nfold::comm
