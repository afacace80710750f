// Step time estimates of a plan for systems that are built, to compare with a measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/settings.hpp"
#include "plan/layouts.hpp"
#include "plan/machine.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::forecast {

/// Returns the time of a step [s] of one system on all ranks, averaged over `seconds` of run time
/// from `start`, which has all residues.
[[nodiscard]] double predicted_step(const config::Settings& settings,
                                    const topology::Topology& topology, const system::State& start,
                                    const plan::Layout& layout, const plan::Machine& machine,
                                    double seconds);

/// Returns the time of a step [s] of all replicas together, distributed over the ranks.
[[nodiscard]] double predicted_step_of_replicas(const config::Settings& settings,
                                                const topology::Topology& topology, int replicas,
                                                const plan::Layout& layout,
                                                const plan::Machine& machine);

}  // namespace nfold::forecast
