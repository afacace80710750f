// An engine that holds a whole system on one rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "device/devices_of_job.hpp"
#include "dynamics/engine.hpp"

namespace nfold::test {

inline dynamics::Engine engine_alone(const topology::Topology& topology,
                                     const dynamics::EngineSettings& settings,
                                     const system::State& start) {
  return {comm::Communicator(), topology, settings, start,
          std::vector<int>(topology.residues.size(), 0)};
}

/// Of all ranks of a test, for all its engines: transports between GPUs are timed once (1.5 s).
/// Collective the first time.
inline std::shared_ptr<device::DevicesOfJob> devices_of_test() {
  static const auto devices = std::make_shared<device::DevicesOfJob>(comm::Communicator::world());
  return devices;
}

/// As resident replicas of `go-ubq` take it.
inline dynamics::EngineSettings settings_of_go() {
  dynamics::EngineSettings s;
  s.time_step_ps = 0.01;
  s.friction_per_ps = 0.2;
  s.seed = 0x123456789abcdef;
  return s;
}

}  // namespace nfold::test
