// Kokkos backend of the program: lifetime, name and thread count.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/hardware/choice.hpp"
#include "device/job_devices.hpp"

namespace nfold::device {

/// Returns "OpenMP, 2 threads" or "Cuda (NVIDIA H200)".
[[nodiscard]] std::string execution_space_name();
/// Returns the threads of this rank; 1 on a GPU. Needs a ComputeEnvironment.
[[nodiscard]] int thread_count();

/// Starts Kokkos on construction and ends it on destruction. Chooses the device by rank on the
/// node. In main.
class ComputeEnvironment {
 public:
  /// Collective. threads: per rank; 0: chosen by host_threads.hpp. Throws hardware::NoSuchDevice on
  /// all ranks if the wish cannot be met.
  explicit ComputeEnvironment(const comm::Communicator& job, int threads = 0,
                              const hardware::DeviceWish& wish = {})
      : ComputeEnvironment(job, job, threads, wish) {}
  /// Collective over `job`. Cores and GPUs are divided among the ranks of `alike`.
  ComputeEnvironment(const comm::Communicator& job, const comm::Communicator& alike, int threads,
                     const hardware::DeviceWish& wish = {});
  ~ComputeEnvironment();
  ComputeEnvironment(const ComputeEnvironment&) = delete;
  ComputeEnvironment& operator=(const ComputeEnvironment&) = delete;

  /// Returns the devices of all ranks of the job.
  [[nodiscard]] const std::shared_ptr<JobDevices>& devices() const { return devices_; }
  /// Messages for the log: the device of each rank, notes, and warnings that a user should act on.
  /// Details and warnings cover all ranks, notes the node of this rank.
  [[nodiscard]] const std::vector<std::string>& details() const { return details_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::shared_ptr<JobDevices> devices_;
  std::vector<std::string> details_, notes_, warnings_;
};

}  // namespace nfold::device
