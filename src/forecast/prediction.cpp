// The models of plan, asked for one step.
// SPDX-License-Identifier: BSD-3-Clause

#include "forecast/prediction.hpp"

#include "batch/target_size.hpp"
#include "plan/dispatch.hpp"
#include "replicas/replica_set.hpp"
#include "setup/step_demand.hpp"
#include "setup/system_setup.hpp"

namespace nfold::forecast {

double predicted_step(const config::Settings& settings, const topology::Topology& topology,
                      const system::State& start, const RanksOfNode& ranks,
                      const plan::Machine& machine) {
  const setup::MemoryPlanner planner(settings, topology, start);
  const auto demand = setup::step_demand(planner, settings, 1, ranks.count);
  const auto& coefficients = ranks.on_gpu ? machine.gpu_step : machine.core_step;
  return plan::step_time(coefficients, demand, machine.network, ranks.count).seconds();
}

double predicted_step_of_replicas(const config::Settings& settings,
                                  const topology::Topology& topology, int replicas,
                                  const RanksOfNode& ranks, const plan::Machine& machine) {
  auto work = batch::work_of(settings, topology);
  const auto is_resident = [&](replicas::ReplicaPlace place) {
    return replicas::why_not_resident(topology, setup::engine_settings(settings), 1, {}, place)
        .empty();
  };
  work.is_resident = is_resident(replicas::ReplicaPlace::cpu);
  work.is_resident_on_gpu_alone = !work.is_resident && is_resident(replicas::ReplicaPlace::gpu);
  work.parts = {{replicas, 1}};
  plan::JobRanks job;
  (ranks.on_gpu ? job.gpu : job.cpu) = ranks.count;
  if (!ranks.on_gpu) job.cpu_threads = ranks.count;
  return plan::seconds_on(work, machine.speeds, job,
                          ranks.on_gpu ? plan::Space::gpu : plan::Space::cpu, ranks.count);
}

}  // namespace nfold::forecast
