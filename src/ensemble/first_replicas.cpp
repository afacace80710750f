// Replicas made by one process, without communication.
// SPDX-License-Identifier: BSD-3-Clause

#include "ensemble/first_replicas.hpp"

#include <cstddef>
#include <vector>

#include "ensemble/ladder.hpp"
#include "setup/collective_variables.hpp"
#include "setup/start_setup.hpp"

namespace nfold::ensemble {

replicas::ReplicaSet first_replicas(const config::Settings& settings,
                                    const setup::SystemSetup& system, const system::State& start,
                                    std::span<const std::int64_t> numbers) {
  const auto& topology = system.topology;
  const auto ladder = first_ladder(settings.ensemble, model_of_charges(system));
  std::vector<replicas::ReplicaStart> starts;
  starts.reserve(numbers.size());
  for (const auto k : numbers) {
    const auto number = static_cast<std::uint32_t>(settings.dynamics.replica + k);
    const auto& state = ladder[static_cast<std::size_t>(k) % ladder.size()];
    starts.push_back({number, state, start});
    setup::give_velocities(settings, topology, state.temperature_kelvin, number,
                           starts.back().state);
  }
  return {topology,
          setup::engine_settings(settings),
          starts,
          {.strongest_contacts = settings.ensemble.strongest_contacts(),
           .umbrella = setup::umbrella_variable(settings.ensemble, topology)}};
}

}  // namespace nfold::ensemble
