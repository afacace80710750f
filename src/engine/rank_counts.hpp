// Counts of each rank for memory and time estimates: of a complete system, or extrapolated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "domain/density_grid.hpp"
#include "domain/partition.hpp"
#include "domain/rank_counts.hpp"
#include "engine/engine_memory.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::engine {

/// Complete system with its first positions.
struct CompleteSystem {
  const topology::Topology& topology;
  const system::State& state;
  const EngineSettings& settings;
};

/// Neighbours of 40,000 residues at most, the same for any partition.
struct NeighbourSample {
  struct List {
    double range_nm = 0;
    std::vector<int> id, neighbours;  ///< (sampled residues)
  };
  List pairs, charges;
};
/// Samples within the first reach.
[[nodiscard]] NeighbourSample sample_neighbours(const CompleteSystem& system);
/// (reaches) Samples within several reaches, which takes little more time than one.
[[nodiscard]] std::vector<NeighbourSample> sample_neighbours(const topology::Topology& topology,
                                                             const system::State& state,
                                                             std::span<const ListReach> reaches);

/// Counts (ranks) the sizes of each rank's arrays and its halo, in linear time. counted_ranks at
/// most. node: (ranks) number of each rank's node; empty: one node.
[[nodiscard]] std::vector<domain::RankCounts> count_ranks(const CompleteSystem& system,
                                                          const NeighbourSample& sample,
                                                          const domain::Ownership& owner,
                                                          int rank_count,
                                                          std::span<const int> node = {});
[[nodiscard]] std::vector<domain::RankCounts> count_ranks(const CompleteSystem& system,
                                                          const domain::Ownership& owner,
                                                          int rank_count);
inline constexpr int counted_ranks = 64;

/// Extrapolates the counts of ranks that divide a system by recursive bisection, over nodes first.
/// Returns those of the ranks with most ghosts and most peers, of all and of other nodes. Looks at
/// some of more than 64 ranks. `one`: counts of a single-rank system that is 1 / times of the
/// whole, which has this density.
[[nodiscard]] std::vector<domain::RankCounts> extrapolate_rank_counts(
    const domain::RankCounts& one, double times, const domain::DensityGrid& density,
    const GhostRanges& ranges, int rank_count, int ranks_per_node);

}  // namespace nfold::engine
