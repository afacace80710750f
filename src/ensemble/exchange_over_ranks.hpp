// Exchanges of states between replicas of several ranks: who decides what, and what travels for it.
// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank that has a replica of a ladder decides that ladder, by the same energies and the same
// random numbers as the others. So nothing travels for a ladder that one rank has alone, and for
// others energies alone. What became of all ladders comes together when somebody asks for it.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "ensemble/replica_shares.hpp"
#include "ensemble/state_exchange.hpp"
#include "io/sample_file.hpp"

namespace nfold::ensemble {

/// Of ladders of so many states: a rank decides those of which it has a replica, and counts those
/// of which it has the first.
[[nodiscard]] LadderShare ladder_share(const ReplicaShares& shares, int rank, int states);

/// Members are collective.
class ExchangeOverRanks {
 public:
  /// The communicator and the exchange outlive it.
  ExchangeOverRanks(const comm::Communicator& communicator, StateExchange& exchange,
                    const ReplicaShares& shares);

  /// Who has which replicas from now on. Makes the exchange whole.
  void share(const ReplicaShares& shares);
  /// One attempt of all ladders; mine: this rank's replicas as they are now.
  void attempt(const io::SampleRow& mine);
  /// Each rank knows all ladders again.
  void make_whole();

 private:
  struct Replicas {
    int first = 0, last = 0;
  };
  [[nodiscard]] Replicas needed_by(int rank) const;
  [[nodiscard]] std::vector<double> energies_to_decide_by(std::vector<double> mine) const;

  const comm::Communicator& communicator_;
  StateExchange& exchange_;
  ReplicaShares shares_;
  LadderShare own_;
  bool some_span_ranks_ = false;  // of the ladders
  std::int64_t whole_at_ = 0;     // attempts when it was last made whole
};

}  // namespace nfold::ensemble
