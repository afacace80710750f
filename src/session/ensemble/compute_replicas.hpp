// Computation of a block of steps of replicas, replaceable in tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "replicas/replica_set.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Advances a set and returns the rows of all its replicas.
[[nodiscard]] system::State compute_replicas(replicas::ReplicaSet& set, std::int64_t steps);

}  // namespace nfold::ensemble
