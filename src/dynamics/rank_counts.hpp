// Counts that memory is planned from: of a system that is there, or of one that only a part is of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "domain/partition.hpp"
#include "domain/rank_counts.hpp"
#include "dynamics/engine_memory.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::dynamics {

/// A system of which everything is known, with its first positions.
struct KnownSystem {
  const topology::Topology& topology;
  const system::State& state;
  const EngineSettings& settings;
};

/// (ranks) What each rank's arrays will be functions of, counted; of more than 64 ranks all get the
/// same, as alike_ranks() says. Neighbours are looked at of 40,000 residues at most.
[[nodiscard]] std::vector<domain::RankCounts> count_ranks(const KnownSystem& system,
                                                          const domain::Ownership& owner,
                                                          int rank_count);

/// (ranks) Only what a map of residues decides: owned residues, terms, ghosts and what travels.
/// Linear, without a look at neighbours. Of 64 ranks at most.
[[nodiscard]] std::vector<domain::RankCounts> count_borders(const KnownSystem& system,
                                                            const domain::Ownership& owner,
                                                            int rank_count);
inline constexpr int counted_ranks = 64;

/// Where residues are, as far as it concerns borders between ranks.
struct FilledRegion {
  system::Box box;
  std::array<double, 3> size_nm{};
};
/// Of one rank of many that are alike: `one` are the counts of a system on one rank that is like
/// 1 / times of the whole, which fills the region; cut into blocks, about cubes.
[[nodiscard]] domain::RankCounts alike_ranks(const domain::RankCounts& one, double times,
                                             const FilledRegion& region, const GhostRanges& ranges,
                                             int rank_count);

}  // namespace nfold::dynamics
