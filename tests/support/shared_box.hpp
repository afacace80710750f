// A long box of chains that ranks share by equal counts, for tests of what moves residues then.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "dynamics/engine.hpp"
#include "start/initial_state.hpp"
#include "support/condensates.hpp"

namespace nfold::test {

/// So long that not every residue is near another rank's.
inline topology::Topology long_box() {
  CondensateOptions options;
  options.box = {{5.2, 4.8, 46.2}};
  options.layers = 42;
  return condensate(options);
}

/// (residues) Owners: the same number of consecutive residues to each rank.
inline std::vector<int> equal_counts(std::size_t residues, int ranks) {
  std::vector<int> owner;
  owner.reserve(residues);
  for (std::size_t id = 0; id < residues; ++id) {
    owner.push_back(static_cast<int>(id * static_cast<std::size_t>(ranks) / residues));
  }
  return owner;
}

/// Looked at every 20 steps. Its skin is given: one chosen by measured seconds would change the
/// lists, and with them the balance of a posed clock, in a way of each host's own.
struct SharedBox {
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = long_box();
  dynamics::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  config::Settings settings;

  SharedBox() {
    settings.dynamics.steps = 1'000'000;
    settings.partition.rebalance_every_steps = 20;
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    engine_settings.skin_nm = 0.3;
    start::draw_velocities(topology, 300, 1, 0, start);
  }
  [[nodiscard]] dynamics::Engine engine() const {
    return {world, topology, engine_settings, start,
            equal_counts(topology.residues.size(), world.size())};
  }
};

}  // namespace nfold::test
