// The compute space of the program (Kokkos): its life, its name, its threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/devices_of_job.hpp"
#include "hardware/choice.hpp"

namespace nfold::device {

/// "OpenMP, 2 threads" or "Cuda (NVIDIA H200)".
[[nodiscard]] std::string execution_space_name();
/// Of this rank, while there is a ComputeEnvironment; 1 on a GPU.
[[nodiscard]] int thread_count();

/// Starts Kokkos on construction and ends it on destruction; device by rank on the node. In main.
class ComputeEnvironment {
 public:
  /// Collective. threads: per rank, 0 = as host_threads.hpp says. Throws hardware::NoSuchDevice on
  /// all ranks where the wish cannot be met.
  explicit ComputeEnvironment(const comm::Communicator& job, int threads = 0,
                              const hardware::DeviceWish& wish = {})
      : ComputeEnvironment(job, job, threads, wish) {}
  /// Collective over `job`: cores and GPUs are shared out among those that are alike.
  ComputeEnvironment(const comm::Communicator& job, const comm::Communicator& alike, int threads,
                     const hardware::DeviceWish& wish = {});
  ~ComputeEnvironment();
  ComputeEnvironment(const ComputeEnvironment&) = delete;
  ComputeEnvironment& operator=(const ComputeEnvironment&) = delete;

  /// What the ranks of the job know of each other's devices.
  [[nodiscard]] const std::shared_ptr<DevicesOfJob>& devices() const { return devices_; }
  /// For the log: what was chosen for each rank, what is worth knowing, and what a user should
  /// mend. The first and the last are of all ranks, the second of this rank's node.
  [[nodiscard]] const std::vector<std::string>& details() const { return details_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::shared_ptr<DevicesOfJob> devices_;
  std::vector<std::string> details_, notes_, warnings_;
};

}  // namespace nfold::device
