// Verification: blocks of steps are recomputed by other ranks and compared bit by bit.
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
#include "engine/engine.hpp"
#include "model/topology/topology.hpp"
#include "session/common/silent_error.hpp"
#include "session/run/compute_block.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Verification by recomputation. The bits of a state do not depend on the layout of ranks; two
/// computations of the same steps, each residue by another rank, must agree in every bit. If they
/// differ, a third one with yet another partition decides between them.
class Verification : public common::BlockVerification {
 public:
  /// compute: compute_block(), or a replacement in tests. The referred-to objects outlive this.
  Verification(const comm::Communicator& communicator, const topology::Topology& topology,
               double time_step_ps,
               std::function<system::State(engine::Engine&, std::int64_t)> compute = compute_block);

  /// Collective. Advances like Engine::advance(), and computes the steps twice or more. Returns
  /// none if all agree. After a decided error the engine has the verified state; after an undecided
  /// one, the state before these steps.
  [[nodiscard]] std::optional<common::SilentError> advance(engine::Engine& engine,
                                                           std::int64_t steps);

 private:
  struct Computation {
    std::shared_ptr<const domain::Ownership> owner;
    system::State mine;       // state at the end, or before the step that exploded
    std::int64_t sum = 0;     // sum of the hashes of all rows of all ranks
    std::string explosion{};  // message of the engine's ExplosionError
  };
  [[nodiscard]] Computation compute(engine::Engine& engine, std::int64_t steps) const;
  void move(engine::Engine& engine, const domain::Ownership& owner) const;
  [[nodiscard]] common::SilentError compare_computations(
      const std::array<const Computation*, 3>& all) const;

  const comm::Communicator& communicator_;
  const topology::Topology& topology_;
  double time_step_ps_;
  std::function<system::State(engine::Engine&, std::int64_t)> compute_;
};

/// Returns the partition in which each residue is `by` ranks further, modulo ranks.
[[nodiscard]] domain::Ownership shifted(const domain::Ownership& owner, int by, int ranks);
/// Returns the partition in which every second residue of each rank is on the next rank: for two
/// ranks a third layout, in which hardly any row of memory has the same content as in the others.
[[nodiscard]] domain::Ownership alternately_shifted(const domain::Ownership& owner, int ranks);

}  // namespace nfold::run
