// Memory estimate of an engine on one rank, from the counts of that rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/memory_estimate.hpp"
#include "domain/rank_counts.hpp"
#include "engine/engine.hpp"
#include "model/topology/topology.hpp"

namespace nfold::engine {

/// Cutoffs and skin of the lists [nm].
struct ListReach {
  double short_range_nm = 0, charge_nm = 0;  ///< charge_nm 0: no electrostatics
  double skin_nm = 0;
};
/// Reach of the first lists.
[[nodiscard]] ListReach first_reach(const topology::Topology& topology,
                                    const EngineSettings& settings);
/// first_reach() with the longest skin that autotuning may try; list capacity is reserved for it.
[[nodiscard]] ListReach longest_reach(const topology::Topology& topology,
                                      const EngineSettings& settings,
                                      std::int64_t residues_of_rank);
/// Scales the list lengths in `counts` from one reach to another, assuming uniform density.
[[nodiscard]] domain::RankCounts scale_list_counts(domain::RankCounts counts, const ListReach& from,
                                                   const ListReach& to);
/// Distances within which another rank's residues must be ghosts [nm]: for any two residues, and
/// for two charged ones (0: no further).
struct GhostRanges {
  double all_nm = 0, charged_nm = 0;
};
[[nodiscard]] GhostRanges ghost_ranges(const topology::Topology& topology,
                                       const EngineSettings& settings);

/// [bytes] of a residue's coordinates in a halo message.
[[nodiscard]] std::int64_t bytes_of_row(Precision precision);

/// Estimates all arrays of the engine by name, for counts with its first reach. The additional list
/// capacity for the longest skin is optional. Only the potentials of `topology` matter, so a
/// smaller system of the same kind gives the same estimate.
[[nodiscard]] device::MemoryEstimate engine_memory(const topology::Topology& topology,
                                                   const EngineSettings& settings,
                                                   const domain::RankCounts& counts);

/// [bytes] on the host of the result of Engine::repartition_preparation(), held until residues have
/// migrated.
[[nodiscard]] std::int64_t prepared_repartition_bytes(Precision precision,
                                                      const domain::RankCounts& counts,
                                                      bool on_gpu);

/// Adds the device part of a prepared repartition to the current group; a GPU allocates it only if
/// memory is free.
void add_prepared_repartition(device::MemoryEstimate& estimate, Precision precision,
                              const domain::RankCounts& counts);

/// Adds the copy made by Engine::snapshot_state() on a GPU.
void add_device_snapshot(device::MemoryEstimate& estimate, const domain::RankCounts& counts);

}  // namespace nfold::engine
