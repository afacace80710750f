// An engine that holds a whole system on one rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/job_devices.hpp"
#include "engine/engine.hpp"

namespace nfold::test {

inline engine::Engine engine_alone(const topology::Topology& topology,
                                   const engine::EngineSettings& settings,
                                   const system::State& start) {
  return {comm::Communicator(), topology, settings, start,
          std::vector<int>(topology.residues.size(), 0)};
}

/// Devices of all ranks, shared by all engines of a test so that GPU transports are timed once (1.5
/// s). The first call is collective.
inline std::shared_ptr<device::JobDevices> devices_of_test() {
  static const auto devices = std::make_shared<device::JobDevices>(comm::Communicator::world());
  return devices;
}

/// Settings that resident replicas of `go-ubq` accept.
inline engine::EngineSettings settings_of_go() {
  engine::EngineSettings s;
  s.time_step_ps = 0.01;
  s.friction_per_ps = 0.2;
  s.seed = 0x123456789abcdef;
  return s;
}

/// Settings that resident replicas of disordered chains accept.
inline engine::EngineSettings settings_of_chains(std::uint64_t seed) {
  engine::EngineSettings s;
  s.time_step_ps = 0.01;
  s.temperature_kelvin = 300;
  s.friction_per_ps = 0.1;
  s.seed = seed;
  return s;
}

}  // namespace nfold::test
