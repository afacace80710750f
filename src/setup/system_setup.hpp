// Engine settings, partition and engine of a run.
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

/// Skin for counting pairs before it is measured.
inline constexpr double typical_skin_nm = 0.3;

/// Returns the partition of the input, for `auto` the choice of partition_choice.hpp. state:
/// positions of all residues, by id. speed: (ranks) relative speed; empty: equal. node: (ranks)
/// node of each rank, for clusters; empty: one node. work: (residues) counted from the positions;
/// empty: counted here, for ranges without positions.
[[nodiscard]] domain::Ownership owners(const config::Settings& settings,
                                       const topology::Topology& topology,
                                       const system::State& state, int rank_count,
                                       std::span<const double> speed = {},
                                       std::span<const int> node = {},
                                       std::span<const double> work = {});
struct SharedMap {
  domain::Ownership owner;
  std::string words;  ///< log message of rank 0: method, comparison of `auto`, checksum
};
/// Collective: owners() with the nodes of these ranks. One rank partitions for all if METIS may
/// take part, since nodes may have different versions of it.
[[nodiscard]] SharedMap shared_map(const comm::Communicator& communicator,
                                   const config::Settings& settings,
                                   const topology::Topology& topology, const system::State& state,
                                   std::span<const double> speed = {});
/// Collective: shared_map() for a first state that may be in shares. Shares are partitioned by
/// bisection.
[[nodiscard]] SharedMap shared_map(const comm::Communicator& communicator,
                                   const config::Settings& settings,
                                   const topology::Topology& topology, const FirstState& first,
                                   std::span<const double> speed = {});

/// Collective: returns the scores of the ranks' devices (ranks) if devices.split requires them and
/// they differ; else empty.
[[nodiscard]] std::vector<double> speeds_by_score(const comm::Communicator& communicator,
                                                  const device::DevicesOfJob& devices,
                                                  const config::Settings& settings);

/// Collective: returns the engine of these settings, every rank with the residues that it owns.
/// devices: of the whole job, which may have more ranks than `communicator`.
[[nodiscard]] dynamics::Engine make_engine(const comm::Communicator& communicator,
                                           std::shared_ptr<device::DevicesOfJob> devices,
                                           const config::Settings& settings,
                                           const topology::Topology& topology, system::State start,
                                           domain::Ownership owner);
/// Collective: make_engine() with the partition of shared_map().
[[nodiscard]] dynamics::Engine make_engine(const comm::Communicator& communicator,
                                           std::shared_ptr<device::DevicesOfJob> devices,
                                           const config::Settings& settings,
                                           const topology::Topology& topology, system::State start);
/// Collective: minimises the energy as `start` requires. Returns a message for the log; empty if
/// there is nothing to minimise.
std::string minimise_start(dynamics::Engine& engine, const config::StartSettings& start);

}  // namespace nfold::setup
