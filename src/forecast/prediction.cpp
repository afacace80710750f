// Step time estimates by the models of plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "forecast/prediction.hpp"

#include "ensemble/counted_work.hpp"
#include "setup/step_demand.hpp"

namespace nfold::forecast {

double predicted_step(const config::Settings& settings, const topology::Topology& topology,
                      const system::State& start, const plan::Layout& layout,
                      const plan::Machine& machine, double seconds) {
  const setup::MemoryPlanner planner(settings, topology, start, layout.on_gpu);
  auto demand = setup::step_demand(planner, settings, layout.nodes, layout.ranks_per_node);
  const double steps = seconds / plan::step_time(machine, layout, demand).seconds();
  setup::let_chains_gather(demand, settings, steps * settings.dynamics.time_step_ps);
  return plan::step_time(machine, layout, demand).seconds();
}

double predicted_step_of_replicas(const config::Settings& settings,
                                  const topology::Topology& topology, int replicas,
                                  const plan::Layout& layout, const plan::Machine& machine) {
  return plan::seconds_of_steps(machine, layout,
                                ensemble::work_of_replicas(settings, topology, {replicas, 1}));
}

}  // namespace nfold::forecast
