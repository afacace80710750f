// From settings to a run: the system, the engine's settings, who owns what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "setup/species_setup.hpp"
#include "setup/start_setup.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

[[nodiscard]] dynamics::EngineSettings engine_settings(const config::Settings& settings);

/// For counting pairs before the skin is measured.
inline constexpr double typical_skin_nm = 0.3;

/// The map that the input asks for, of auto the one by partition_choice.hpp; `state` has the
/// positions of all residues, by id. speed: (ranks) to which work is in proportion; empty: equal.
/// node: (ranks) number of each one's node, for clusters; empty: all on one. work: (residues)
/// counted from the positions; empty: it is counted here, of ranges without looking at positions.
[[nodiscard]] domain::Ownership owners(const config::Settings& settings,
                                       const topology::Topology& topology,
                                       const system::State& state, int rank_count,
                                       std::span<const double> speed = {},
                                       std::span<const int> node = {},
                                       std::span<const double> work = {});
struct SharedMap {
  domain::Ownership owner;
  std::string words;  ///< for the log of rank 0: method, checksum and, of auto, what it compared
};
/// Collective: the same, with the nodes of these ranks. Where METIS may make the map, one rank does
/// it for all, so that they may have several versions of it.
[[nodiscard]] SharedMap shared_map(const comm::Communicator& communicator,
                                   const config::Settings& settings,
                                   const topology::Topology& topology, const system::State& state,
                                   std::span<const double> speed = {});
/// Collective: the same where each rank may have a share of the first state alone; then it is made
/// by bisection.
[[nodiscard]] SharedMap shared_map(const comm::Communicator& communicator,
                                   const config::Settings& settings,
                                   const topology::Topology& topology, const FirstState& first,
                                   std::span<const double> speed = {});

/// Collective: (ranks) scores of the ranks' devices where devices.split asks for them and they
/// differ; else empty.
[[nodiscard]] std::vector<double> speeds_by_score(const comm::Communicator& communicator,
                                                  const device::DevicesOfJob& devices,
                                                  const config::Settings& settings);

/// Collective: the engine of these settings, every rank with the residues that the map gives it.
/// devices: of the whole job, of which `communicator` may be a part.
[[nodiscard]] dynamics::Engine make_engine(const comm::Communicator& communicator,
                                           std::shared_ptr<device::DevicesOfJob> devices,
                                           const config::Settings& settings,
                                           const topology::Topology& topology, system::State start,
                                           domain::Ownership owner);
/// The same with the map that shared_map() makes.
[[nodiscard]] dynamics::Engine make_engine(const comm::Communicator& communicator,
                                           std::shared_ptr<device::DevicesOfJob> devices,
                                           const config::Settings& settings,
                                           const topology::Topology& topology, system::State start);
/// Collective: downhill as `start` asks, which may be no step at all. What came of it, for the log;
/// empty if nothing was asked.
std::string minimise_start(dynamics::Engine& engine, const config::StartSettings& start);

}  // namespace nfold::setup
