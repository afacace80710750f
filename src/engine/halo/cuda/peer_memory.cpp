// Sharing of device memory between the ranks of a node by CUDA IPC.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/halo/cuda/peer_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "comm/first_reason.hpp"
#include "comm/gpu_identity.hpp"
#include "comm/peer_islands.hpp"
#include "device/launch.hpp"
#include "engine/halo/peer_memory_size.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::halo {

namespace {

/// Collective. Returns the first text of any rank that is not empty.
std::string first_of_all(const comm::Communicator& communicator, const std::string& mine) {
  const auto first = comm::first_reason(communicator, mine);
  return first ? first->text : std::string();
}

/// Tags of the groups that are split off the communicator: one per purpose.
constexpr int tag_of_attempt = 301, tag_of_memory = 302;

/// True if this GPU can access the GPU of another rank on the node. If ranks see only their own
/// GPU, returns true, because only an attempt can decide.
bool reaches_gpu(const comm::GpuIdentity& gpu) {
  int own = 0, other = -1, reaches = 0;
  device::check_cuda(cudaGetDevice(&own), "asking for the device");
  if (cudaDeviceGetByPCIBusId(&other, gpu.pci_bus.data()) != cudaSuccess) {
    (void)cudaGetLastError();
    return true;
  }
  if (other == own) return true;
  device::check_cuda(cudaDeviceCanAccessPeer(&reaches, own, other), "asking for peer access");
  return reaches != 0;
}

/// Ranks that this rank can reach according to the driver, and the first reason why another is out
/// of reach.
struct Reach {
  std::vector<char> to;  // (ranks)
  std::string reason;
};
Reach reach_of(int self, const std::vector<int>& node, const std::vector<comm::GpuIdentity>& gpus,
               SharedGpu sharing) {
  Reach reach{std::vector<char>(node.size(), 1), {}};
  const auto me = static_cast<std::size_t>(self);
  const auto part_from = [&](std::size_t rank, std::string reason) {
    reach.to[rank] = 0;
    if (reach.reason.empty()) reach.reason = std::move(reason);
  };
  for (std::size_t rank = 0; rank < node.size(); ++rank) {
    if (rank == me) continue;
    if (node[rank] != node[me]) {
      part_from(rank, "the ranks are on several nodes");
    } else if (gpus[rank].id == gpus[me].id) {
      if (sharing == SharedGpu::allowed) continue;
      part_from(rank, comm::describe_shared_gpu(gpus));
    } else if (!reaches_gpu(gpus[rank])) {
      part_from(rank,
                fmt::format("the GPU of rank {} ({}) has no peer access to that of rank {} ({})",
                            self, gpus[me].pci_bus.data(), rank, gpus[rank].pci_bus.data()));
    }
  }
  return reach;
}

}  // namespace

PeerGroups PeerMemory::groups(const comm::Communicator& communicator, const std::vector<int>& node,
                              SharedGpu sharing) {
  const int self = communicator.rank();
  std::vector<int> alone(node.size());
  std::iota(alone.begin(), alone.end(), 0);
  comm::GpuIdentity gpu;
  const auto no_gpu = first_of_all(communicator, comm::find_own_gpu(gpu));
  if (!no_gpu.empty()) return {alone, no_gpu};
  const auto gpus = communicator.all_gather(std::span<const comm::GpuIdentity>(&gpu, 1));
  const auto mine = reach_of(self, node, gpus, sharing);
  const auto reaches = communicator.all_gather(std::span<const char>(mine.to));
  constexpr int most = kernels::halo_peers_at_most + 1;
  PeerGroups groups{comm::peer_islands(node, reaches, most), {}};
  std::string failure;
  try {
    PeerMemory attempt(communicator, comm::members_of_island(groups.island, self), tag_of_attempt);
    attempt.reserve(1);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  // Ranks of an island in which the attempt failed become single.
  const char has_failed = failure.empty() ? 0 : 1;
  const auto failed = communicator.all_gather(std::span<const char>(&has_failed, 1));
  for (std::size_t rank = 0; rank < failed.size(); ++rank) {
    if (failed[rank] != 0) groups.island[rank] = static_cast<int>(rank);
  }
  if (comm::is_one_island(groups.island)) return groups;
  groups.reason = first_of_all(communicator, failure.empty() ? mine.reason : failure);
  if (groups.reason.empty()) groups.reason = fmt::format("more than {} ranks on a node", most);
  return groups;
}

PeerMemory::PeerMemory(const comm::Communicator& communicator, const std::vector<int>& members)
    : PeerMemory(communicator, members, tag_of_memory) {}

PeerMemory::PeerMemory(const comm::Communicator& communicator, const std::vector<int>& members,
                       int tag)
    : island_(communicator.group(members, tag)),
      members_(members),
      place_(static_cast<std::size_t>(communicator.size()), -1),
      base_(place_.size(), nullptr) {
  for (std::size_t place = 0; place < members.size(); ++place) {
    place_[static_cast<std::size_t>(members[place])] = static_cast<int>(place);
  }
}

PeerMemory::~PeerMemory() {
  try {
    // If only this rank fails, its error must reach the ranks that it ends; other ranks' kernels
    // may still write into the memory, which is not freed in that case.
    constexpr std::chrono::seconds patience{5};
    if (std::uncaught_exceptions() > 0 && !island_.barrier_within(patience)) return;
    close();
  } catch (const std::exception&) {
    // The run is ending for another reason, and the driver frees the memory.
  }
}

bool PeerMemory::reserve(std::size_t bytes) {
  if (!island_.any(bytes > bytes_)) return false;
  close();
  if (bytes > bytes_) bytes_ = peer_memory_allocation(bytes);
  open();
  return true;
}

/// Collective over the island. Closes other ranks' memory before any rank frees its own.
void PeerMemory::close() {
  const int self = members_[static_cast<std::size_t>(island_.rank())];
  device::fence();
  for (const int rank : members_) {
    auto& base = base_[static_cast<std::size_t>(rank)];
    if (rank == self || base == nullptr) continue;
    (void)cudaIpcCloseMemHandle(base);
    base = nullptr;
  }
  island_.barrier();
  auto& own = base_[static_cast<std::size_t>(self)];
  if (own != nullptr) (void)cudaFree(own);
  own = nullptr;
  share_.end();
}

void PeerMemory::open() {
  const int self = members_[static_cast<std::size_t>(island_.rank())];
  std::string failure;
  const auto attempt = [&](cudaError_t code, const char* what) {
    if (code == cudaSuccess || !failure.empty()) return;
    (void)cudaGetLastError();
    failure = fmt::format("rank {}: {} failed: {}", self, what, cudaGetErrorString(code));
  };
  cudaIpcMemHandle_t handle{};
  void* own = nullptr;
  try {
    share_ = device::DeviceShare(peer_memory_name, static_cast<std::int64_t>(bytes_));
  } catch (const device::DeviceMemoryError& error) {
    failure = fmt::format("rank {}: {}", self, error.what());
  }
  if (failure.empty()) {
    attempt(cudaMalloc(&own, bytes_), "taking memory for what other GPUs write");
  }
  if (failure.empty()) attempt(cudaMemset(own, 0, bytes_), "clearing memory");
  const bool has_peers = island_.size() > 1;
  if (failure.empty() && has_peers) attempt(cudaIpcGetMemHandle(&handle, own), "sharing memory");
  base_[static_cast<std::size_t>(self)] = static_cast<std::byte*>(own);
  const auto handles = island_.all_gather(std::span<const cudaIpcMemHandle_t>(&handle, 1));
  failure = first_of_all(island_, failure);
  if (!failure.empty()) throw std::runtime_error(failure);
  for (std::size_t place = 0; place < handles.size(); ++place) {
    if (members_[place] == self) continue;
    void* theirs = nullptr;
    attempt(cudaIpcOpenMemHandle(&theirs, handles[place], cudaIpcMemLazyEnablePeerAccess),
            "opening another GPU's memory");
    base_[static_cast<std::size_t>(members_[place])] = static_cast<std::byte*>(theirs);
  }
  failure = first_of_all(island_, failure);
  if (!failure.empty()) throw std::runtime_error(failure);
}

}  // namespace nfold::halo
