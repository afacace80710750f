// Exchange of GPU identities and free memory between all ranks of a job.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/job_devices.hpp"

#include <stdexcept>
#include <utility>

#include "device/device_array.hpp"
#include "device/device_memory.hpp"

namespace nfold::device {

namespace {

comm::GpuId gpu_of_process() {
#ifdef KOKKOS_ENABLE_CUDA
  comm::GpuIdentity place;
  const auto problem = comm::find_own_gpu(place);
  if (!problem.empty()) throw std::runtime_error(problem);
  return place.id;
#else
  return comm::no_gpu;
#endif
}

}  // namespace

JobDevices::JobDevices(const comm::Communicator& job)
    : by_rank_(comm::gather_rank_locations(
          job, gpu_of_process())),  // all have started their GPUs when it returns
      rank_(job.rank()),
      sharing_(comm::count_sharing_ranks(by_rank_, job.rank())),
      free_device_bytes_(device_memory().free_bytes),
      free_host_bytes_(host_memory_of_all().free_bytes),
      transports_(job.rank()) {
  job.barrier();  // before any rank allocates memory
}

std::string JobDevices::own_gpu() const {
  const auto& gpu = by_rank_[static_cast<std::size_t>(rank_)].gpu;
  return gpu == comm::no_gpu ? std::string() : comm::format_uuid(gpu);
}

JobDevices::JobDevices(std::vector<comm::RankLocation> by_rank, int rank,
                       std::int64_t free_device_bytes, std::int64_t free_host_bytes)
    : by_rank_(std::move(by_rank)),
      rank_(rank),
      sharing_(comm::count_sharing_ranks(by_rank_, rank)),
      free_device_bytes_(free_device_bytes),
      free_host_bytes_(free_host_bytes),
      transports_(rank) {}

}  // namespace nfold::device
