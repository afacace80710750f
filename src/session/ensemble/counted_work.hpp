// Work of an ensemble or a run, counted before it starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "estimate/dispatch.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::ensemble {

/// Returns the work of one run or ensemble.
[[nodiscard]] estimate::TargetWork count_work(const input::Settings& settings,
                                              const topology::Topology& topology);
/// Returns the work of replicas that are advanced together, independent of the ensemble in
/// `settings`.
[[nodiscard]] estimate::TargetWork count_replica_work(const input::Settings& settings,
                                                      const topology::Topology& topology,
                                                      const estimate::TargetPart& part);

/// Returns the number of bonded terms and contacts.
[[nodiscard]] std::int64_t count_terms(const topology::Topology& topology);
/// True if its replicas would be resident, with many steps per launch.
[[nodiscard]] bool is_resident(const input::Settings& settings, const topology::Topology& topology);

}  // namespace nfold::ensemble
