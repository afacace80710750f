// One computation of a block of replicas' steps, as it is compared with another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "replicas/replica_set.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {

/// Advances a set, and gives the rows of all of its replicas.
[[nodiscard]] system::State computed_replicas(replicas::ReplicaSet& set, std::int64_t steps);

}  // namespace nfold::ensemble
