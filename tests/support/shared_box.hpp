// Long box of chains in equal shares of residues, for tests of repartition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "model/start/initial_state.hpp"
#include "support/condensates.hpp"

namespace nfold::test {

/// Box so long that some residues are far from those of other ranks.
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

/// System whose load is assessed every 20 steps. The skin is fixed: autotuning by measured time
/// would make the lists, and so the balance of the simulated clock, depend on the host.
struct SharedBox {
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = long_box();
  engine::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  input::Settings settings;

  SharedBox() {
    settings.dynamics.steps = 1'000'000;
    settings.partition.rebalance_every_steps = 20;
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    engine_settings.skin_nm = 0.3;
    start::draw_velocities(topology, 300, 1, 0, start);
  }
  [[nodiscard]] engine::Engine engine() const {
    return {world, topology, engine_settings, start,
            equal_counts(topology.residues.size(), world.size())};
  }
};

}  // namespace nfold::test
