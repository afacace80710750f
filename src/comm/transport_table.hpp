// What transports took between ranks of a job, kept for the engines that come later.
// SPDX-License-Identifier: BSD-3-Clause
//
// A batch groups its ranks anew for each target, so that one rank of a group may have measured with
// the others before and another not, or with other ranks. A measurement is collective: all of the
// group make it or none does. So all compare what they know before anyone measures.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transport_choice.hpp"

namespace nfold::comm {

/// What else a time depends on.
struct TrialKind {
  int coordinate_bytes = 0;    ///< of one coordinate of a residue
  bool records_steps = false;  ///< exchanges stand in recorded graphs where they can
};

/// One rank's part of what is known; belongs to the job (devices_of_job.hpp).
class TransportTable {
 public:
  /// Collective over the group that it is called for: adds times, or an obstacle, to the trial.
  using Measure = std::function<void(TransportTrial&)>;

  explicit TransportTable(int rank_in_job) : rank_in_job_(rank_in_job) {}

  /// Collective over `group`: fills in the times of all trials that nothing stands in the way of,
  /// if there are several. What all ranks of the group know, and know alike, of just this group is
  /// taken from the table; all else is measured by all of them. True if anything was.
  bool fill(const comm::Communicator& group, const TrialKind& kind,
            std::vector<TransportTrial>& trials, const Measure& measure);

 private:
  /// Ranks of the job in the group's order, which says who is whose neighbour; the kind; the way.
  using Key = std::tuple<std::vector<int>, int, bool, Transport>;

  int rank_in_job_;
  std::map<Key, TransportTrial> known_;
};

}  // namespace nfold::comm
