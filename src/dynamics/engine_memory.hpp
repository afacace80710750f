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
/// The same with the longest skin that is tried, where skins are: lists get room for it.
[[nodiscard]] FirstReach longest_reach(const topology::Topology& topology,
                                       const EngineSettings& settings,
                                       std::int64_t residues_of_rank);
/// Counts whose lists are as long as those of another reach, where residues are everywhere as
/// dense; all else as it was.
[[nodiscard]] domain::RankCounts with_lists_of(domain::RankCounts counts, const FirstReach& from,
                                               const FirstReach& to);
/// Of residues of one rank within which those of another must be its ghosts [nm]: any two, and two
/// charged ones (0: nothing further).
struct GhostRanges {
  double all_nm = 0, charged_nm = 0;
};
[[nodiscard]] GhostRanges ghost_ranges(const topology::Topology& topology,
                                       const EngineSettings& settings);

/// [bytes] Of a residue's coordinates on their way to another rank.
[[nodiscard]] std::int64_t bytes_of_row(Precision precision);

/// All arrays of the engine, by their names, by counts of its first reach. What lists take beyond
/// that, for the longest skin that is tried, can be spared. Of `topology` only the potentials
/// count, so a smaller system of the same kind serves.
[[nodiscard]] device::MemoryPlan engine_memory(const topology::Topology& topology,
                                               const EngineSettings& settings,
                                               const domain::RankCounts& counts);

/// [bytes] Of what Engine::owner_preparation() makes, on the host until residues have moved.
[[nodiscard]] std::int64_t prepared_owner_bytes(Precision precision,
                                                const domain::RankCounts& counts, bool on_gpu);

/// Adds to the present group what it has on a GPU, which only has it where there is room.
void add_prepared_owner(device::MemoryPlan& plan, Precision precision,
                        const domain::RankCounts& counts);

/// Adds what Engine::hold_state() makes, which a GPU only has where there is room.
void add_held_state(device::MemoryPlan& plan, const domain::RankCounts& counts);

}  // namespace nfold::dynamics
