// Memory that an ensemble and its counts need, and the check that it is available.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/job_devices.hpp"
#include "device/memory_estimate.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_observer.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/species_setup.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Replicas of one rank whose memory is estimated.
struct RankReplicas {
  std::int64_t replicas = 1;
  int threads = 1;  ///< threads of a CPU
  std::vector<double>
      kappa_per_nm;  ///< inverse Debye lengths at which electrostatic energies are computed
  bool on_gpu = device::computes_on_gpu();
  /// Creates a first state; called only if each replica has an engine.
  std::function<system::State()> first_state;
};

/// Memory of one rank with some replicas.
struct EnsembleMemory {
  std::int64_t replicas_bytes = 0;  ///< on the device
  std::int64_t counts_bytes = 0;  ///< counts of ensemble.analysis, on the device and in checkpoints
  std::int64_t host_bytes = 0;    ///< peak while checkpoints and results are written
  device::MemoryEstimate
      arrays;  ///< all arrays on the device, by name; on the host those that stay
  [[nodiscard]] std::int64_t device_bytes() const { return arrays.device_bytes(); }
  /// Returns the memory with arrays of the first `uses` of device::moving_order on the host.
  [[nodiscard]] EnsembleMemory with_moved(std::size_t uses) const {
    auto moved = *this;
    moved.host_bytes += arrays.movable_bytes(uses);
    moved.arrays = arrays.with_moved(uses);
    return moved;
  }
};
[[nodiscard]] EnsembleMemory ensemble_memory(const input::Settings& settings,
                                             const topology::Topology& topology,
                                             const replicas::ObserverPlan& plan,
                                             const RankReplicas& rank_replicas);

/// Returns a message for the user: "memory: ...".
[[nodiscard]] std::string describe(const EnsembleMemory& memory,
                                   const replicas::ObserverPlan& plan);

/// Throws InputError for requests beyond any machine: counts over 64 GiB, or more samples than
/// their sums can hold.
void refuse_absurd_counts(const input::Settings& settings, const EnsembleMemory& memory,
                          const replicas::ObserverPlan& plan);

/// Collective. Throws InputError if a rank lacks the memory.
void require_memory(const comm::Communicator& communicator, const device::JobDevices& devices,
                    const EnsembleMemory& memory);

/// Returns the message for `nfold check`, for one rank. Throws InputError like
/// refuse_absurd_counts().
[[nodiscard]] std::string check_ensemble_memory(const input::Settings& settings,
                                                const setup::SystemSetup& system,
                                                const system::State& first_state);
/// Estimates the memory of the rank with most replicas, like setup::MemoryEstimator::on().
[[nodiscard]] setup::RunMemory estimate_ensemble_memory(const input::Settings& settings,
                                                        const setup::SystemSetup& system,
                                                        const system::State& first_state,
                                                        int rank_count, int threads,
                                                        bool on_gpu = device::computes_on_gpu());

}  // namespace nfold::ensemble
