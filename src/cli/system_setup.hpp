// From settings to a system: structure, topology, the engine's settings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "structure/structure.hpp"
#include "topology/go_model.hpp"
#include "topology/topology.hpp"

namespace nfold::cli {

struct SystemSetup {
  topology::Topology topology;
  std::vector<std::string> notes;  ///< what the reader of the structure handled, a line each
};

/// Collective: rank 0 reads the structure file, all build from the same bytes. StructureError,
/// SharedFailure.
[[nodiscard]] SystemSetup build_system(const comm::Communicator& communicator,
                                       const config::Settings& settings,
                                       const std::filesystem::path& input_file);

[[nodiscard]] structure::ContactOptions contact_options(const config::ContactSettings& settings);
[[nodiscard]] topology::GoModel go_model(const config::Settings& settings);
[[nodiscard]] dynamics::EngineSettings engine_settings(const config::Settings& settings);

[[nodiscard]] domain::Ownership owners(const config::PartitionSettings& settings,
                                       const topology::Topology& topology, int rank_count);

}  // namespace nfold::cli
