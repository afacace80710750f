// Replicas made by one process, without communication.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/ensemble/first_replicas.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "session/ensemble/ladder.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/start_setup.hpp"

namespace nfold::ensemble {

replicas::ReplicaSetOptions replica_set_options(const input::Settings& settings,
                                                const topology::Topology& topology,
                                                std::vector<double> kappa_per_nm) {
  return {.strongest_contacts = settings.ensemble.strongest_contacts(),
          .umbrella = setup::umbrella_variable(settings.ensemble, topology),
          .kappa_per_nm = std::move(kappa_per_nm)};
}

replicas::ReplicaSet first_replicas(const input::Settings& settings,
                                    const setup::SystemSetup& system, const system::State& start,
                                    std::span<const std::int64_t> numbers) {
  const auto& topology = system.topology;
  const auto ladder = first_ladder(settings.ensemble, charge_model(system));
  std::vector<replicas::ReplicaStart> starts;
  starts.reserve(numbers.size());
  for (const auto k : numbers) {
    const auto number = static_cast<std::uint32_t>(settings.dynamics.replica + k);
    const auto& state = ladder[static_cast<std::size_t>(k) % ladder.size()];
    starts.push_back({number, state, start});
    setup::draw_first_velocities(settings, topology, state.temperature_kelvin, number,
                                 starts.back().state);
  }
  return {topology, setup::engine_settings(settings), starts,
          replica_set_options(settings, topology)};
}

}  // namespace nfold::ensemble
