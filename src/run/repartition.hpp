// Shares the residues out anew while a run goes on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// Every partition.rebalance_every_steps the ranks tell each other how long their lists are and how
/// many ghosts they have. Where one has become busier than the others, or ghosts have become more
/// numerous since residues of different ranks mix, the work is counted from the positions, and a
/// new map is taken where it spares the busiest rank some of it. All ranks count alike and so
/// decide alike; no clock is asked, and no map changes a bit of the result.
class Repartition {
 public:
  /// The referred-to objects outlive it. Idle with one rank, and where residues are shared out by
  /// their order, which does not change.
  Repartition(const comm::Communicator& communicator, const config::Settings& settings,
              const topology::Topology& topology, std::int64_t first_step,
              std::vector<double> speed = {});

  /// Collective, between two blocks: a line for the log if it was due, else nothing.
  std::string serve(dynamics::Engine& engine);

 private:
  struct Counts {
    std::int64_t entries = 0, ghosts = 0;
  };
  [[nodiscard]] bool is_worth_a_try(const std::vector<Counts>& ranks);
  [[nodiscard]] double busiest(const std::vector<double>& work,
                               const std::vector<system::FixedPosition>& position,
                               const domain::Ownership& owner) const;
  [[nodiscard]] std::string share_out(dynamics::Engine& engine);

  const comm::Communicator& communicator_;
  const config::Settings& settings_;
  const topology::Topology& topology_;
  std::vector<double> speed_;  // (ranks) to which work is in proportion; empty: equal
  std::int64_t every_, next_;
  double ghost_work_;
  std::int64_t ghosts_before_ = -1;  // of all ranks, when the present map was new or last confirmed
  double unevenness_before_ = 1;     // that the last attempt left
};

}  // namespace nfold::run
