// Replicas' steps that are computed again, by another rank, and compared bit by bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "job/silent_error.hpp"
#include "replicas/replica_set.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Each rank computes again what the rank before it has computed, in a set of its own beside the
/// one it has. Where a replica differs, a third computation decides, by a third rank where there is
/// one.
class ReplicaVerification {
 public:
  /// A set of the replicas of rank `rank`, from their rows one after another.
  using Make = std::function<replicas::ReplicaSet(int rank, const system::State& states)>;
  /// The communicator outlives this. residues: of a replica.
  ReplicaVerification(const comm::Communicator& communicator, int residues, Make make)
      : communicator_(communicator), residues_(residues), make_(std::move(make)) {}

  /// Collective: as ReplicaSet::advance(), which may throw ExplosionError on this rank alone: then
  /// `explosion` has its text, nothing is compared on any rank, and none is returned. After an
  /// error that is decided the set has the verified states.
  [[nodiscard]] std::optional<job::SilentError> advance(std::optional<replicas::ReplicaSet>& set,
                                                        std::int64_t steps, std::string& explosion);
  [[nodiscard]] const job::VerifiedWork& work() const { return work_; }

 private:
  struct Again {
    system::State states;              // of this rank's replicas, computed elsewhere
    std::vector<std::int64_t> hashes;  // of all replicas in their order
  };
  [[nodiscard]] system::State handed_on(const system::State& states, int by) const;
  [[nodiscard]] std::vector<std::int64_t> all_hashes(const system::State& states) const;
  [[nodiscard]] Again compute_elsewhere(const system::State& before, std::int64_t steps,
                                        int by) const;

  const comm::Communicator& communicator_;
  int residues_;
  Make make_;
  job::VerifiedWork work_;
};

}  // namespace nfold::ensemble
