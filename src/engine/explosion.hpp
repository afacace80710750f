// Error message of a run that explodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::engine {

/// Names residue, chain, term, force and step. `state` is the last good state with all rows; in the
/// step after it a force or a move exceeds its range.
[[nodiscard]] std::string describe_explosion(const topology::Topology& topology,
                                             const system::State& state, double time_step_ps);

}  // namespace nfold::engine
