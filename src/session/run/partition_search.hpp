// Search for the best partition of residues; makes no MPI call, so a thread can run it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/counted_work.hpp"
#include "domain/partition.hpp"
#include "domain/rebalance.hpp"
#include "domain/residue_units.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Input of a search, copied so that steps continue meanwhile.
struct PartitionSearchInput {
  domain::ResidueUnits units;  ///< pieces of chains whose owners are sought; single residues:
                               ///< owners of residues are sought
  system::State state;         ///< positions of all residues by id, or of units
  domain::Ownership owner;     ///< present partition, of residues or units
  domain::RebalanceSettings rules;
  domain::WorkCosts costs;
  std::vector<domain::RankLoad> loads;  ///< (ranks) measured load per step
  std::vector<std::int64_t>
      residue_capacity;   ///< (ranks) largest number of residues that the rank's memory holds
  std::vector<int> node;  ///< (ranks) index of each one's node
  double step_seconds = 0;
  double move_seconds = 0;  ///< expected cost of a repartition
  std::int64_t steps_ahead = 0;
  [[nodiscard]] bool has_units() const { return units.are_pieces(); }
};

struct FoundPartition {
  domain::Ownership owner;  ///< owners of residues or units
  std::int64_t ghosts = 0;  ///< sum over all ranks
  domain::PartitionEstimate partition_estimate;
};

/// Returns the partition with the shortest estimated step among a few that keep every rank within
/// its memory; none if no partition fits. Each partition is corrected by the estimated load of the
/// previous one. Units are assigned by position or in the order of chains.
[[nodiscard]] std::optional<FoundPartition> find_partition(const input::Settings& settings,
                                                           const topology::Topology& topology,
                                                           const PartitionSearchInput& question);

}  // namespace nfold::run
