// How much memory an ensemble and what it counts need, and whether that is there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "device/memory_plan.hpp"
#include "replicas/replica_observer.hpp"
#include "setup/memory_plan.hpp"
#include "setup/species_setup.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// Whose memory is asked for.
struct ReplicasOfRank {
  std::int64_t replicas = 1;
  int threads = 1;                   ///< of a CPU
  std::vector<double> kappa_per_nm;  ///< whose electrostatic energies are wanted
  /// Makes a first state; asked for only where replicas have an engine each.
  std::function<system::State()> first_state;
};

/// Of one rank with so many replicas.
struct EnsembleMemory {
  std::int64_t replicas_bytes = 0;  ///< on the device
  std::int64_t counts_bytes = 0;    ///< of ensemble.analysis, on the device and in checkpoints
  std::int64_t host_bytes = 0;      ///< at most, while checkpoints and results are written
  device::MemoryPlan arrays;        ///< all of the device, by name; of the host what stays
  [[nodiscard]] std::int64_t device_bytes() const { return arrays.device_bytes(); }
};
[[nodiscard]] EnsembleMemory ensemble_memory(const config::Settings& settings,
                                             const topology::Topology& topology,
                                             const replicas::ObserverPlan& plan,
                                             const ReplicasOfRank& of_rank);

/// What a person may want to know of it: "memory: ...".
[[nodiscard]] std::string in_words(const EnsembleMemory& memory,
                                   const replicas::ObserverPlan& plan);

/// InputError for what no machine should be asked for: counts beyond 64 GiB, or more samples than
/// their sums have room for.
void refuse_absurd_counts(const config::Settings& settings, const EnsembleMemory& memory,
                          const replicas::ObserverPlan& plan);

/// Collective. InputError where a rank has not the memory.
void require_memory(const comm::Communicator& communicator, const device::DevicesOfJob& devices,
                    const EnsembleMemory& memory);

/// For `nfold check`: all of it, for one rank; InputError as refuse_absurd_counts().
[[nodiscard]] std::string check_ensemble_memory(const config::Settings& settings,
                                                const setup::SystemSetup& system,
                                                const system::State& first_state);
/// As setup::MemoryPlanner::on(), of the rank with most replicas.
[[nodiscard]] setup::RunMemory plan_ensemble(const config::Settings& settings,
                                             const setup::SystemSetup& system,
                                             const system::State& first_state, int rank_count,
                                             int threads);

}  // namespace nfold::ensemble
