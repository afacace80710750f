// Replicas of an ensemble from one first state, for uses where the start does not matter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "input/settings.hpp"
#include "replicas/replica_set.hpp"
#include "session/setup/system_setup.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Returns the options of every set of an ensemble. kappa_per_nm: of the screened energies.
[[nodiscard]] replicas::ReplicaSetOptions replica_set_options(
    const input::Settings& settings, const topology::Topology& topology,
    std::vector<double> kappa_per_nm = {});

/// Creates replicas for estimates and benchmarks. numbers: indices among the settings' replicas.
/// Each has a state of the first ladder in turn, and velocities of its own. Throws InputError.
[[nodiscard]] replicas::ReplicaSet first_replicas(const input::Settings& settings,
                                                  const setup::SystemSetup& system,
                                                  const system::State& start,
                                                  std::span<const std::int64_t> numbers);

}  // namespace nfold::ensemble
