// Step time estimates by the models of plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/step_estimate.hpp"

#include "session/ensemble/counted_work.hpp"
#include "session/setup/step_demand.hpp"

namespace nfold::plan {

double estimate_step(const input::Settings& settings, const topology::Topology& topology,
                     const system::State& start, const estimate::Layout& layout,
                     const estimate::Machine& machine, double seconds) {
  const setup::MemoryEstimator planner(settings, topology, start, layout.on_gpu);
  auto demand = setup::step_demand(planner, settings, layout.nodes, layout.ranks_per_node);
  const double steps = seconds / estimate::step_time(machine, layout, demand).seconds();
  setup::let_chains_gather(demand, settings, steps * settings.dynamics.time_step_ps);
  return estimate::step_time(machine, layout, demand).seconds();
}

double estimate_replica_step(const input::Settings& settings, const topology::Topology& topology,
                             int replicas, const estimate::Layout& layout,
                             const estimate::Machine& machine) {
  return estimate::seconds_of_steps(
      machine, layout, ensemble::count_replica_work(settings, topology, {replicas, 1}));
}

}  // namespace nfold::plan
