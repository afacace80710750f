// The settings of the engine and of the partition.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/system_setup.hpp"

namespace nfold::cli {
dynamics::EngineSettings engine_settings(const config::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  dynamics::EngineSettings engine;
  engine.precision = dynamics.precision == config::Precision::full ? dynamics::Precision::full
                                                                   : dynamics::Precision::mixed;
  engine.integrator = dynamics.integrator == config::Integrator::velocity_verlet
                          ? dynamics::Integrator::velocity_verlet
                          : dynamics::Integrator::langevin_baoab;
  engine.time_step_ps = dynamics.time_step_ps;
  engine.temperature_kelvin = dynamics.temperature_kelvin;
  engine.friction_per_ps = dynamics.friction_per_ps;
  engine.seed = dynamics.seed;
  engine.replica = dynamics.replica;
  if (settings.neighbour_list.skin_nm > 0) engine.skin_nm = settings.neighbour_list.skin_nm;
  engine.rebuild_every = settings.neighbour_list.rebuild_every;
  return engine;
}

domain::Ownership owners(const config::PartitionSettings& settings,
                         const topology::Topology& topology, int rank_count) {
  if (settings.method == config::PartitionMethod::random) {
    return domain::random_owners(topology.residue_count(), rank_count, settings.seed);
  }
  return domain::residue_ranges(domain::counted_work(topology), rank_count);
}

}  // namespace nfold::cli
