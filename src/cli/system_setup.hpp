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

/// The first partition; `state` holds all residues.
[[nodiscard]] domain::Ownership owners(const config::Settings& settings,
                                       const topology::Topology& topology,
                                       const system::State& state, int rank_count);

}  // namespace nfold::cli
