// From settings to a run: the system, the engine's settings, who owns what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/species_setup.hpp"
#include "config/settings.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "topology/topology.hpp"

namespace nfold::cli {

[[nodiscard]] dynamics::EngineSettings engine_settings(const config::Settings& settings);

[[nodiscard]] domain::Ownership owners(const config::PartitionSettings& settings,
                                       const topology::Topology& topology, int rank_count);

}  // namespace nfold::cli
