// Verification: steps of replicas are recomputed by another rank and compared bit by bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "replicas/replica_set.hpp"
#include "session/common/silent_error.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Verification of replicas by recomputation. Each rank recomputes the replicas of the previous
/// rank, in a set beside its own. If a replica differs, a third computation decides, by a third
/// rank if there is one.
class ReplicaVerification : public common::BlockVerification {
 public:
  /// Creates a set of the replicas of rank `rank`, from their rows one after another.
  using Make = std::function<replicas::ReplicaSet(int rank, const system::State& states)>;
  /// The communicator outlives this. residues: of one replica.
  ReplicaVerification(const comm::Communicator& communicator, int residues, Make make)
      : communicator_(communicator), residues_(residues), make_(std::move(make)) {}

  /// Collective. Advances like ReplicaSet::advance(). If a replica explodes on some ranks, these
  /// throw engine::ExplosionError, the others return none, and nothing is compared. After a decided
  /// error the set has the verified states.
  [[nodiscard]] std::optional<common::SilentError> advance(std::optional<replicas::ReplicaSet>& set,
                                                           std::int64_t steps);

 private:
  using Hashes = std::vector<std::int64_t>;  // one for each replica, in order
  struct Recomputation {
    system::State states;  // states of this rank's replicas, computed elsewhere
    Hashes hashes;
  };
  [[nodiscard]] system::State pass_states(const system::State& states, int by) const;
  [[nodiscard]] Hashes all_hashes(const system::State& states) const;
  [[nodiscard]] Recomputation compute_elsewhere(const system::State& before, std::int64_t steps,
                                                int by) const;
  /// Collective. Finds the replicas that differ and the rank that is wrong. first: hashes of the
  /// owners; second: of the rank after each; third: of another one.
  [[nodiscard]] common::SilentError compare(const Hashes& first, const Hashes& second,
                                            const Hashes& third, std::int64_t own_replicas) const;

  const comm::Communicator& communicator_;
  int residues_;
  Make make_;
};

}  // namespace nfold::ensemble
