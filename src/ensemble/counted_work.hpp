// Work of an ensemble or a run, counted before it starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "config/settings.hpp"
#include "plan/dispatch.hpp"
#include "replicas/replica_set.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// Returns the work of one run or ensemble.
[[nodiscard]] plan::TargetWork work_of(const config::Settings& settings,
                                       const topology::Topology& topology);
/// Returns the work of replicas that are advanced together, independent of the ensemble in
/// `settings`.
[[nodiscard]] plan::TargetWork work_of_replicas(const config::Settings& settings,
                                                const topology::Topology& topology,
                                                const plan::TargetPart& part);

/// Returns the number of bonded terms and contacts.
[[nodiscard]] std::int64_t count_of_terms(const topology::Topology& topology);
/// True if its replicas would be resident there, with many steps per launch.
[[nodiscard]] bool is_resident_on(replicas::ReplicaPlace place, const config::Settings& settings,
                                  const topology::Topology& topology);

}  // namespace nfold::ensemble
