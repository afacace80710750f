// Counts for memory estimates: of a complete system, or extrapolated from a part of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

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

/// Counts (ranks) the sizes of each rank's arrays; with more than 64 ranks all get the same counts,
/// from extrapolate_rank_counts(). Neighbours are sampled at 40,000 residues at most.
[[nodiscard]] std::vector<domain::RankCounts> count_ranks(const CompleteSystem& system,
                                                          const domain::Ownership& owner,
                                                          int rank_count);

/// Counts (ranks) only what the partition decides: owned residues, terms, ghosts and messages.
/// Linear time, without a neighbour search. 64 ranks at most. node: (ranks) number of each rank's
/// node; empty: one node.
[[nodiscard]] std::vector<domain::RankCounts> count_borders(const CompleteSystem& system,
                                                            const domain::Ownership& owner,
                                                            int rank_count,
                                                            std::span<const int> node = {});
inline constexpr int counted_ranks = 64;

/// Region that residues fill, for the area of borders between ranks.
struct FilledRegion {
  system::Box box;
  std::array<double, 3> size_nm{};
};
/// Counts of one of many equal ranks. `one`: counts of a single-rank system that is 1 / times of
/// the whole, which fills the region. The region is divided into nearly cubic blocks.
[[nodiscard]] domain::RankCounts extrapolate_rank_counts(const domain::RankCounts& one,
                                                         double times, const FilledRegion& region,
                                                         const GhostRanges& ranges, int rank_count);

}  // namespace nfold::engine
