// What an ensemble or a run asks of a machine, counted before it starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "config/settings.hpp"
#include "plan/dispatch.hpp"
#include "replicas/replica_set.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// Of one run or ensemble.
[[nodiscard]] plan::TargetWork work_of(const config::Settings& settings,
                                       const topology::Topology& topology);
/// Of replicas that are advanced together, whatever `settings` say of an ensemble.
[[nodiscard]] plan::TargetWork work_of_replicas(const config::Settings& settings,
                                                const topology::Topology& topology,
                                                const plan::TargetPart& part);

/// Bonded ones and contacts.
[[nodiscard]] std::int64_t count_of_terms(const topology::Topology& topology);
/// Whether replicas of it would make many steps a launch there.
[[nodiscard]] bool is_resident_on(replicas::ReplicaPlace place, const config::Settings& settings,
                                  const topology::Topology& topology);

}  // namespace nfold::ensemble
