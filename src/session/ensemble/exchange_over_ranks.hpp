// Replica exchange between ranks: who decides a ladder, and which data are sent for it.
// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank that has a replica of a ladder decides that ladder, by the same energies and the same
// random numbers as the other ranks. A ladder on one rank thus needs no messages, and other ladders
// need only messages of energies. The results of all ladders are gathered on request.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "io/sample_file.hpp"
#include "session/ensemble/replica_shares.hpp"
#include "session/ensemble/state_exchange.hpp"

namespace nfold::ensemble {

/// Returns the ladders of a rank, each with this number of states: it decides those of which it has
/// a replica, and counts those of which it has the first replica.
[[nodiscard]] LadderShare ladder_share(const ReplicaShares& shares, int rank, int states);

/// Members are collective.
class ExchangeOverRanks {
 public:
  /// Exchange in ladders that may span ranks. Members are collective.
  ExchangeOverRanks(const comm::Communicator& communicator, StateExchange& exchange,
                    const ReplicaShares& shares);

  /// Sets who has which replicas from now on. Makes the exchange whole.
  void share(const ReplicaShares& shares);
  /// Attempts one exchange in all ladders. mine: samples of this rank's replicas as they are now.
  void attempt(const io::SampleRow& mine);
  /// Gathers the results of all ladders on each rank.
  void make_whole();

 private:
  struct Replicas {
    int first = 0, last = 0;
  };
  [[nodiscard]] Replicas needed_by(int rank) const;
  [[nodiscard]] std::vector<double> gather_ladder_energies(std::vector<double> mine) const;

  const comm::Communicator& communicator_;
  StateExchange& exchange_;
  ReplicaShares shares_;
  LadderShare own_;
  bool ladders_span_ranks_ = false;  // true if a ladder spans ranks
  std::int64_t whole_at_ = 0;        // number of attempts at the last make_whole()
};

}  // namespace nfold::ensemble
