// Step time estimates by the models of plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/step_estimate.hpp"

#include "session/ensemble/counted_work.hpp"
#include "session/setup/step_demand.hpp"

namespace nfold::plan {

double estimate_step(const input::Settings& settings, const topology::Topology& topology,
                     const system::State& start, const estimate::Layout& layout,
                     const estimate::Machine& machine, double seconds) {
  const setup::MemoryPlanner planner(settings, topology, start, layout.on_gpu);
  auto demand = setup::step_demand(planner, settings, layout.nodes, layout.ranks_per_node);
  const auto seconds_of_step = [&] {
    return estimate::step_time(machine.step(layout.on_gpu), demand, machine.network,
                               layout.ranks_per_node)
        .seconds();
  };
  const double steps = seconds / seconds_of_step();
  setup::let_chains_gather(demand, settings, steps * settings.dynamics.time_step_ps);
  return seconds_of_step();
}

double estimate_replica_step(const input::Settings& settings, const topology::Topology& topology,
                             int replicas, const estimate::Layout& layout,
                             const estimate::Machine& machine) {
  const estimate::TargetPart part{replicas, 1};
  const auto work = ensemble::count_replica_work(settings, topology, part);
  return estimate::seconds_of_steps(part, work, machine.speeds, estimate::job_of(layout),
                                    estimate::to_backend(layout), layout.ranks());
}

}  // namespace nfold::plan
