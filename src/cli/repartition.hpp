// Shares the residues out anew while a run goes on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "dynamics/engine.hpp"
#include "topology/topology.hpp"

namespace nfold::cli {

/// Every partition.rebalance_every_steps the work is counted from the positions, and a new map is
/// taken where it spares the busiest rank a tenth of its work. All ranks count alike and so decide
/// alike; no clock is asked, and no map changes a bit of the result.
class Repartition {
 public:
  /// The referred-to objects outlive it. Idle with one rank, and where residues are shared out by
  /// their order, which does not change.
  Repartition(const comm::Communicator& communicator, const config::Settings& settings,
              const topology::Topology& topology, std::int64_t first_step);

  /// Collective, between two blocks: a line for the log if it was due, else nothing.
  std::string serve(dynamics::Engine& engine);

 private:
  [[nodiscard]] std::string share_out(dynamics::Engine& engine) const;

  const comm::Communicator& communicator_;
  const config::Settings& settings_;
  const topology::Topology& topology_;
  std::int64_t every_, next_;
};

}  // namespace nfold::cli
