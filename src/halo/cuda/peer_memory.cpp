// Sharing of device memory between the ranks of a node.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/cuda/peer_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>

#include "comm/first_reason.hpp"
#include "comm/gpu_place.hpp"
#include "device/launch.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::halo {

namespace {

/// So large that the driver gives it pages of its own, which a handle then stands for.
constexpr std::size_t least_bytes = std::size_t{4} << 20U;

/// The first text that is not empty, whichever rank has it.
std::string first_of_all(const comm::Communicator& communicator, const std::string& mine) {
  const auto first = comm::first_reason(communicator, mine);
  return first ? first->text : std::string();
}

/// The other GPUs that this one cannot reach.
std::string unreachable(const std::vector<comm::GpuPlace>& gpus, int self) {
  int own = 0;
  device::check_cuda(cudaGetDevice(&own), "asking for the device");
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    if (static_cast<int>(rank) == self) continue;
    int other = -1, reaches = 0;
    // Ranks may each see only their own GPU; then only an attempt can tell.
    if (cudaDeviceGetByPCIBusId(&other, gpus[rank].pci_place.data()) != cudaSuccess) {
      (void)cudaGetLastError();
      continue;
    }
    if (other == own) continue;
    device::check_cuda(cudaDeviceCanAccessPeer(&reaches, own, other), "asking for peer access");
    if (reaches == 0) {
      return fmt::format("the GPU of rank {} ({}) has no peer access to that of rank {} ({})", self,
                         gpus[static_cast<std::size_t>(self)].pci_place.data(), rank,
                         gpus[rank].pci_place.data());
    }
  }
  return {};
}

}  // namespace

std::string PeerMemory::obstacle(const comm::Communicator& communicator, SharedGpu sharing) {
  if (communicator.size() == 1) return "one rank has no peers";
  const auto node = communicator.node_place();
  std::string mine;
  if (node.size != communicator.size()) mine = "the ranks are on several nodes";
  if (communicator.size() > kernels::halo_peers_at_most + 1) {
    mine = fmt::format("more than {} ranks", kernels::halo_peers_at_most + 1);
  }
  comm::GpuPlace gpu;
  const auto no_gpu = comm::find_own_gpu(gpu);
  if (mine.empty()) mine = no_gpu;
  const auto gpus = communicator.all_gather(std::span<const comm::GpuPlace>(&gpu, 1));
  if (mine.empty() && sharing == SharedGpu::is_an_obstacle) mine = comm::shared_gpu(gpus);
  if (mine.empty()) mine = unreachable(gpus, communicator.rank());
  mine = first_of_all(communicator, mine);
  if (!mine.empty()) return mine;
  try {
    PeerMemory attempt(communicator);
    attempt.reserve(1);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

PeerMemory::PeerMemory(const comm::Communicator& communicator)
    : communicator_(communicator), base_(static_cast<std::size_t>(communicator.size()), nullptr) {}

PeerMemory::~PeerMemory() {
  try {
    // A failure of this rank alone must come to those that it ends; the others' kernels may still
    // write into what is not freed then.
    constexpr std::chrono::seconds patience{5};
    if (std::uncaught_exceptions() > 0 && !communicator_.barrier_within(patience)) return;
    close();
  } catch (const std::exception&) {
    // The run is ending for another reason, and the driver takes everything back.
  }
}

std::size_t PeerMemory::room_of(std::size_t bytes) {
  return std::max(bytes + bytes / 4, least_bytes);
}

bool PeerMemory::reserve(std::size_t bytes) {
  if (!communicator_.any(bytes > bytes_)) return false;
  close();
  if (bytes > bytes_) bytes_ = room_of(bytes);
  open();
  return true;
}

/// Nobody frees what another still has open.
void PeerMemory::close() {
  if (communicator_.size() == 1) return;
  const int self = communicator_.rank();
  device::fence();
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    auto& base = base_[static_cast<std::size_t>(rank)];
    if (rank == self || base == nullptr) continue;
    (void)cudaIpcCloseMemHandle(base);
    base = nullptr;
  }
  communicator_.barrier();
  auto& own = base_[static_cast<std::size_t>(self)];
  if (own != nullptr) (void)cudaFree(own);
  own = nullptr;
  share_.end();
}

void PeerMemory::open() {
  const auto self = static_cast<std::size_t>(communicator_.rank());
  std::string failure;
  const auto attempt = [&](cudaError_t code, const char* what) {
    if (code == cudaSuccess || !failure.empty()) return;
    (void)cudaGetLastError();
    failure = fmt::format("rank {}: {} failed: {}", self, what, cudaGetErrorString(code));
  };
  cudaIpcMemHandle_t handle{};
  void* own = nullptr;
  try {
    share_ = device::DeviceShare(name, static_cast<std::int64_t>(bytes_));
  } catch (const device::DeviceMemoryError& error) {
    failure = fmt::format("rank {}: {}", self, error.what());
  }
  if (failure.empty()) {
    attempt(cudaMalloc(&own, bytes_), "taking memory for what other GPUs write");
  }
  if (failure.empty()) attempt(cudaMemset(own, 0, bytes_), "clearing memory");
  if (failure.empty()) attempt(cudaIpcGetMemHandle(&handle, own), "sharing memory");
  base_[self] = static_cast<std::byte*>(own);
  const auto handles = communicator_.all_gather(std::span<const cudaIpcMemHandle_t>(&handle, 1));
  failure = first_of_all(communicator_, failure);
  if (!failure.empty()) throw std::runtime_error(failure);
  for (std::size_t rank = 0; rank < handles.size(); ++rank) {
    if (rank == self) continue;
    void* theirs = nullptr;
    attempt(cudaIpcOpenMemHandle(&theirs, handles[rank], cudaIpcMemLazyEnablePeerAccess),
            "opening another GPU's memory");
    base_[rank] = static_cast<std::byte*>(theirs);
  }
  failure = first_of_all(communicator_, failure);
  if (!failure.empty()) throw std::runtime_error(failure);
}

}  // namespace nfold::halo
