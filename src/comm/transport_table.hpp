// Measured times of transports between ranks of a job, kept for later engines.
// SPDX-License-Identifier: BSD-3-Clause
//
// A batch regroups its ranks for each target, so that one rank of a group may hold a measurement
// that another one lacks. A measurement is collective: all ranks of the group make it or none does.
// So the ranks compare their tables before any of them measures.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transport_choice.hpp"

namespace nfold::comm {

/// Further parameters that a time depends on.
struct TrialKind {
  int coordinate_bytes = 0;         ///< bytes of one coordinate of a residue
  bool captures_exchanges = false;  ///< exchanges are captured in graphs if possible
};

/// Table of one rank; owned by the job (job_devices.hpp).
class TransportTable {
 public:
  /// Adds times, or an obstacle, to the trial. Collective over the group.
  using Measure = std::function<void(TransportTrial&)>;

  explicit TransportTable(int rank_in_job) : rank_in_job_(rank_in_job) {}

  /// Fills in the times of all trials without an obstacle, if there are several. Takes a time from
  /// the table if all ranks of the group hold the same value for exactly this group; else all of
  /// them measure. Returns true if anything was measured. Collective over `group`.
  bool fill(const comm::Communicator& group, const TrialKind& kind,
            std::vector<TransportTrial>& trials, const Measure& measure);

 private:
  /// Ranks of the job in the group's order, which determines the neighbours; coordinate bytes;
  /// capture; transport.
  using Key = std::tuple<std::vector<int>, int, bool, Transport>;

  int rank_in_job_;
  std::map<Key, TransportTrial> known_;
};

}  // namespace nfold::comm
