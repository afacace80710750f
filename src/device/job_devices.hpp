// Devices of all ranks of a job: which of them are shared, and measured transports.
// SPDX-License-Identifier: BSD-3-Clause
//
// Made once, when all ranks have started Kokkos, and passed to all that computes: a batch works on
// each target with a few of the ranks, whose memory estimates must include the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/rank_locations.hpp"
#include "comm/transport_table.hpp"

namespace nfold::device {

class JobDevices {
 public:
  /// Collective over all ranks of a job, for CPU and GPU builds; needs Kokkos.
  explicit JobDevices(const comm::Communicator& job);
  /// Makes the object for a job of these ranks; for tests.
  JobDevices(std::vector<comm::RankLocation> by_rank, int rank, std::int64_t free_device_bytes,
             std::int64_t free_host_bytes);

  [[nodiscard]] const comm::Sharing& sharing() const { return sharing_; }
  /// (ranks of the job)
  [[nodiscard]] const std::vector<comm::RankLocation>& by_rank() const { return by_rank_; }
  /// Returns the UUID of this rank's GPU, formatted like NVIDIA's tools; empty on the CPU.
  [[nodiscard]] std::string own_gpu() const;
  /// Returns the score of this rank's GPU or cores (hardware/score.hpp).
  [[nodiscard]] double own_score() const { return own_score_; }
  void set_score(double score) { own_score_ = score; }
  /// Describes ranks that share a GPU, for the log; empty if none do.
  [[nodiscard]] std::string note() const { return comm::describe_gpu_sharing(by_rank_); }
  /// Free memory of this rank's device and node at the start of the job, before any array [bytes].
  [[nodiscard]] std::int64_t free_device_bytes_at_start() const { return free_device_bytes_; }
  [[nodiscard]] std::int64_t free_host_bytes_at_start() const { return free_host_bytes_; }
  [[nodiscard]] comm::TransportTable& transports() { return transports_; }

 private:
  std::vector<comm::RankLocation> by_rank_;
  int rank_ = 0;
  double own_score_ = 100;
  comm::Sharing sharing_;
  std::int64_t free_device_bytes_ = 0, free_host_bytes_ = 0;
  comm::TransportTable transports_;
};

}  // namespace nfold::device
