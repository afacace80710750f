// What an engine takes on one rank, by the counts of that rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/memory_plan.hpp"
#include "domain/rank_counts.hpp"
#include "dynamics/engine.hpp"
#include "topology/topology.hpp"

namespace nfold::dynamics {

/// Cutoffs and the skin of the first lists [nm].
struct FirstReach {
  double short_range_nm = 0, charge_nm = 0;  ///< charge_nm 0: no electrostatics
  double skin_nm = 0;
};
[[nodiscard]] FirstReach first_reach(const topology::Topology& topology,
                                     const EngineSettings& settings);
/// The same with the longest skin of the first round of trials, where none is given.
[[nodiscard]] FirstReach tried_reach(const topology::Topology& topology,
                                     const EngineSettings& settings);
/// Of residues of one rank within which those of another must be its ghosts [nm]: any two, and two
/// charged ones (0: nothing further).
struct GhostRanges {
  double all_nm = 0, charged_nm = 0;
};
[[nodiscard]] GhostRanges ghost_ranges(const topology::Topology& topology,
                                       const EngineSettings& settings);

/// [bytes] Of a residue's coordinates on their way to another rank.
[[nodiscard]] std::int64_t bytes_of_row(Precision precision);

/// All arrays of the engine, by their names. Of `topology` only the potentials count, so a smaller
/// system of the same kind serves.
[[nodiscard]] device::MemoryPlan engine_memory(const topology::Topology& topology,
                                               const EngineSettings& settings,
                                               const domain::RankCounts& counts);

/// [bytes] Of what Engine::owner_preparation() makes, on the host until residues have moved.
[[nodiscard]] std::int64_t prepared_owner_bytes(Precision precision,
                                                const domain::RankCounts& counts);

/// Of what a device takes only where it has room.
inline constexpr const char* copies_group = "copies for checkpoints";
/// Adds what Engine::hold_state() makes in that group.
void add_held_state(device::MemoryPlan& plan, const domain::RankCounts& counts);

}  // namespace nfold::dynamics
