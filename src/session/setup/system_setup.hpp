// Engine settings, partition and engine of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/job_devices.hpp"
#include "domain/partition.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"
#include "system/state.hpp"

namespace nfold::setup {

[[nodiscard]] engine::EngineSettings engine_settings(const input::Settings& settings);

/// Skin for counting pairs before it is measured.
inline constexpr double typical_skin_nm = 0.3;

/// Returns the partition of the input, for `auto` the choice of partition_choice.hpp. state:
/// positions of all residues, by id. speed: (ranks) relative speed; empty: equal. node: (ranks)
/// number of each rank's node; empty: one node. work: (residues) counted from the positions;
/// empty: counted here, for ranges without positions.
[[nodiscard]] domain::Ownership owners(const input::Settings& settings,
                                       const topology::Topology& topology,
                                       const system::State& state, int rank_count,
                                       std::span<const double> speed = {},
                                       std::span<const int> node = {},
                                       std::span<const double> work = {});
struct SharedPartition {
  domain::Ownership owner;
  std::string message;  ///< log message of rank 0: method, comparison of `auto`, checksum
};
/// Collective: owners() with the nodes of these ranks, which all of them know alike. One rank
/// partitions for all if METIS may take part, since nodes may have different versions of it.
[[nodiscard]] SharedPartition make_shared_partition(const comm::Communicator& communicator,
                                                    const input::Settings& settings,
                                                    const topology::Topology& topology,
                                                    const system::State& state,
                                                    std::span<const double> speed = {});
/// Collective: make_shared_partition() for a first state that may be in shares. Shares are
/// partitioned by bisection.
[[nodiscard]] SharedPartition make_shared_partition(const comm::Communicator& communicator,
                                                    const input::Settings& settings,
                                                    const topology::Topology& topology,
                                                    const FirstState& first,
                                                    std::span<const double> speed = {});

/// Collective: returns the scores of the ranks' devices (ranks) if devices.split requires them and
/// they differ; else empty.
[[nodiscard]] std::vector<double> speeds_by_score(const comm::Communicator& communicator,
                                                  const device::JobDevices& devices,
                                                  const input::Settings& settings);

/// Collective: returns the engine of these settings, every rank with the residues that it owns.
/// devices: of the whole job, which may have more ranks than `communicator`.
[[nodiscard]] engine::Engine make_engine(const comm::Communicator& communicator,
                                         std::shared_ptr<device::JobDevices> devices,
                                         const input::Settings& settings,
                                         const topology::Topology& topology, system::State start,
                                         domain::Ownership owner);
/// Collective: make_engine() with the partition of make_shared_partition().
[[nodiscard]] engine::Engine make_engine(const comm::Communicator& communicator,
                                         std::shared_ptr<device::JobDevices> devices,
                                         const input::Settings& settings,
                                         const topology::Topology& topology, system::State start);
/// Collective: minimises the energy as `start` requires. Returns a message for the log; empty if
/// there is nothing to minimise.
std::string minimise_start(engine::Engine& engine, const input::StartSettings& start);

}  // namespace nfold::setup
