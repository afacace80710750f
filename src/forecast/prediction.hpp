// What a plan says of systems that are built: to be held against a measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/settings.hpp"
#include "plan/layouts.hpp"
#include "plan/machine.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::forecast {

/// [s] Of a step of one system on all ranks, in the mean of so many seconds from `start` on, which
/// has all residues.
[[nodiscard]] double predicted_step(const config::Settings& settings,
                                    const topology::Topology& topology, const system::State& start,
                                    const plan::Layout& layout, const plan::Machine& machine,
                                    double seconds);

/// [s] Of a step of so many replicas together, shared out over the ranks.
[[nodiscard]] double predicted_step_of_replicas(const config::Settings& settings,
                                                const topology::Topology& topology, int replicas,
                                                const plan::Layout& layout,
                                                const plan::Machine& machine);

}  // namespace nfold::forecast
