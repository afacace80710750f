// Step time estimates of a plan for systems that are built, to compare with a measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "estimate/layouts.hpp"
#include "estimate/machine.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::plan {

/// Returns the time of a step [s] of one system on all ranks, averaged over `seconds` of run time
/// from `start`, which has all residues.
[[nodiscard]] double estimate_step(const input::Settings& settings,
                                   const topology::Topology& topology, const system::State& start,
                                   const estimate::Layout& layout, const estimate::Machine& machine,
                                   double seconds);

/// Returns the time of a step [s] of all replicas together, distributed over the ranks.
[[nodiscard]] double estimate_replica_step(const input::Settings& settings,
                                           const topology::Topology& topology, int replicas,
                                           const estimate::Layout& layout,
                                           const estimate::Machine& machine);

}  // namespace nfold::plan
