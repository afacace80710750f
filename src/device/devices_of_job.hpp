// What the ranks of a job know of each other's devices: who shares them, what lies between them.
// SPDX-License-Identifier: BSD-3-Clause
//
// Made once, when all ranks have started to compute, and handed down to what computes: a batch
// works on each target with a few of its ranks, and these must not forget the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/rank_places.hpp"
#include "comm/transport_table.hpp"

namespace nfold::device {

class DevicesOfJob {
 public:
  /// Collective over all ranks of a job, of whatever build; needs Kokkos.
  explicit DevicesOfJob(const comm::Communicator& job);
  /// As a job of these places would find itself; for tests.
  DevicesOfJob(std::vector<comm::RankPlace> by_rank, int rank, std::int64_t free_device_bytes,
               std::int64_t free_host_bytes);

  [[nodiscard]] const comm::Sharing& sharing() const { return sharing_; }
  /// (ranks of the job)
  [[nodiscard]] const std::vector<comm::RankPlace>& by_rank() const { return by_rank_; }
  /// Of this rank, as NVIDIA's tools print its UUID; empty: it computes on processors.
  [[nodiscard]] std::string own_gpu() const;
  /// hardware's, of this rank's GPU; ranks on processors are taken to be alike.
  [[nodiscard]] double own_score() const { return own_score_; }
  void tell_score(double score) { own_score_ = score; }
  /// Ranks that share a GPU, for the log; empty if none do.
  [[nodiscard]] std::string note() const { return comm::sharing_note(by_rank_); }
  /// Of this rank's device and of its node, when the job started and no arrays stood.
  [[nodiscard]] std::int64_t free_device_bytes_at_start() const { return free_device_bytes_; }
  [[nodiscard]] std::int64_t free_host_bytes_at_start() const { return free_host_bytes_; }
  [[nodiscard]] comm::TransportTable& transports() { return transports_; }

 private:
  std::vector<comm::RankPlace> by_rank_;
  int rank_ = 0;
  double own_score_ = 100;
  comm::Sharing sharing_;
  std::int64_t free_device_bytes_ = 0, free_host_bytes_ = 0;
  comm::TransportTable transports_;
};

}  // namespace nfold::device
