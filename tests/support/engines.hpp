// An engine that holds a whole system on one rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dynamics/engine.hpp"

namespace nfold::test {

inline dynamics::Engine engine_alone(const topology::Topology& topology,
                                     const dynamics::EngineSettings& settings,
                                     const system::State& start) {
  return {comm::Communicator(), topology, settings, start,
          std::vector<int>(topology.residues.size(), 0)};
}

}  // namespace nfold::test
