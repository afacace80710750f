// Blocks of steps that are computed again, by other ranks, and compared bit by bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "job/silent_error.hpp"
#include "run/computed_block.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// The bits of a state depend on no layout; so two computations of the same steps, each residue by
/// another rank, must agree in every bit. Where they do not, a third, shared out otherwise again,
/// decides between them.
class Verification {
 public:
  /// compute: computed_block(), or what a test has in its place. The referred-to objects outlive
  /// this.
  Verification(
      const comm::Communicator& communicator, const topology::Topology& topology,
      double time_step_ps,
      std::function<system::State(dynamics::Engine&, std::int64_t)> compute = computed_block);

  /// Collective: as Engine::advance(), twice or more. None: all agree. After an error that is
  /// decided the engine has the verified state; after one that is not, the one before these steps.
  [[nodiscard]] std::optional<job::SilentError> advance(dynamics::Engine& engine,
                                                        std::int64_t steps);
  [[nodiscard]] const job::VerifiedWork& work() const { return work_; }

 private:
  struct Computation {
    std::shared_ptr<const domain::Ownership> owner;
    system::State mine;       // at the end, or before the step that exploded
    std::int64_t sum = 0;     // of the hashes of all rows of all ranks
    std::string explosion{};  // what the engine said
  };
  [[nodiscard]] Computation compute(dynamics::Engine& engine, std::int64_t steps) const;
  void move(dynamics::Engine& engine, const domain::Ownership& owner) const;
  [[nodiscard]] job::SilentError judge(const std::array<const Computation*, 3>& all) const;

  const comm::Communicator& communicator_;
  const topology::Topology& topology_;
  double time_step_ps_;
  std::function<system::State(dynamics::Engine&, std::int64_t)> compute_;
  job::VerifiedWork work_;
};

/// Each residue with the next rank but `by`.
[[nodiscard]] domain::Ownership shifted(const domain::Ownership& owner, int by, int ranks);
/// Of each rank's residues every second one with the next rank, the others with their own: for two
/// ranks a third way, in which hardly a row of their memory has what it had in the others.
[[nodiscard]] domain::Ownership alternately_shifted(const domain::Ownership& owner, int ranks);

}  // namespace nfold::run
