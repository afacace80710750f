// The compute space of the program (Kokkos): its life, its name, its threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "device/devices_of_job.hpp"

namespace nfold::device {

/// "OpenMP, 2 threads" or "Cuda (NVIDIA H200)".
[[nodiscard]] std::string execution_space_name();
/// Of this rank, while there is a ComputeEnvironment; 1 on a GPU.
[[nodiscard]] int thread_count();

/// Starts Kokkos on construction and ends it on destruction; device by rank on the node. In main.
class ComputeEnvironment {
 public:
  /// Collective. threads: per rank, 0 = as host_threads.hpp says.
  explicit ComputeEnvironment(const comm::Communicator& job, int threads = 0)
      : ComputeEnvironment(job, job, threads) {}
  /// Collective over `job`: cores and GPUs are shared out among those that are alike.
  ComputeEnvironment(const comm::Communicator& job, const comm::Communicator& alike, int threads);
  ~ComputeEnvironment();
  ComputeEnvironment(const ComputeEnvironment&) = delete;
  ComputeEnvironment& operator=(const ComputeEnvironment&) = delete;

  /// What the ranks of the job know of each other's devices.
  [[nodiscard]] const std::shared_ptr<DevicesOfJob>& devices() const { return devices_; }

 private:
  std::shared_ptr<DevicesOfJob> devices_;
};

}  // namespace nfold::device
