// How much memory an ensemble and what it counts need, and whether that is there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "replicas/replica_observer.hpp"
#include "setup/species_setup.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// Of one rank with so many replicas.
struct EnsembleMemory {
  std::int64_t replicas_bytes = 0;  ///< on the device
  std::int64_t counts_bytes = 0;    ///< of ensemble.analysis, on the device and in checkpoints
  std::int64_t observer_bytes = 0;  ///< beside them, on the device
  std::int64_t host_bytes = 0;      ///< at most, while checkpoints and results are written
  [[nodiscard]] std::int64_t device_bytes() const {
    return replicas_bytes + counts_bytes + observer_bytes;
  }
};
[[nodiscard]] EnsembleMemory ensemble_memory(const config::Settings& settings,
                                             const topology::Topology& topology,
                                             const replicas::ObserverPlan& plan,
                                             std::int64_t replicas);

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
                                                const setup::SystemSetup& system);

}  // namespace nfold::ensemble
