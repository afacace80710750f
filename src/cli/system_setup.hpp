// From settings to a run: the system, the engine's settings, who owns what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/species_setup.hpp"
#include "config/settings.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::cli {

[[nodiscard]] dynamics::EngineSettings engine_settings(const config::Settings& settings);

/// For counting pairs before the skin is measured.
inline constexpr double typical_skin_nm = 0.3;

/// Whether the map follows the positions; auto does so for more than one chain.
[[nodiscard]] bool is_by_space(config::PartitionMethod method, const topology::Topology& topology);
/// The map that the input asks for; `state` has the positions of all residues, by id.
[[nodiscard]] domain::Ownership owners(const config::Settings& settings,
                                       const topology::Topology& topology,
                                       const system::State& state, int rank_count);

}  // namespace nfold::cli
