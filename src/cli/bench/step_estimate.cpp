// Step time estimates by the models of plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/step_estimate.hpp"

#include "device/device_memory.hpp"
#include "estimate/layouts.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/setup/step_demand.hpp"

namespace nfold::bench {

double predicted_steps_per_second(const estimate::Machine& machine, const SystemToMeasure& system,
                                  double seconds) {
  const auto& [settings, topology, start, replicas, ranks] = system;
  const estimate::Layout layout{1, ranks, device::computes_on_gpu()};
  if (replicas > 0) {
    const estimate::TargetPart part{replicas, 1};
    const auto work = ensemble::count_replica_work(settings, topology, part);
    return 1 / estimate::seconds_of_steps(part, work, machine.speeds, estimate::job_of(layout),
                                          estimate::to_backend(layout), ranks);
  }
  const setup::MemoryEstimator planner(settings, topology, start, layout.on_gpu);
  const auto& step = machine.step(layout.on_gpu);
  const auto demands = setup::step_demands(planner, settings, layout.nodes, layout.ranks_per_node);
  auto demand = estimate::slowest_rank(step, demands, machine.network, ranks);
  const double at_start = estimate::step_time(step, demand, machine.network, ranks).seconds();
  setup::let_chains_gather(demand, settings, seconds / at_start * settings.dynamics.time_step_ps);
  return 1 / estimate::step_time(step, demand, machine.network, ranks).seconds();
}

}  // namespace nfold::bench
