// Memory estimates from counts and sizes, and refusals.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/memory.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/sparse_contact_maps.hpp"
#include "analysis/thermodynamics/screening_nodes.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "device/device_memory.hpp"
#include "replicas/replica_set.hpp"
#include "session/ensemble/ladder.hpp"
#include "session/ensemble/observation.hpp"
#include "session/setup/collective_variables.hpp"
#include "session/setup/host_arrays.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::ensemble {
namespace {

// Position, velocity and number of each residue, twice, while replicas are created or saved.
constexpr std::int64_t state_bytes_per_residue = 104;
// Copies of the counts on the host: the rank's, those of a checkpoint, numbers for the file.
constexpr std::int64_t copies_of_counts = 4;

const char* const remedy =
    "give ensemble.analysis.at_kelvin one temperature, or switch ensemble.analysis.phase_locking, "
    "residue_energies or contact_maps off";

std::vector<double> screening_kappas(const input::Settings& settings,
                                     const setup::SystemSetup& system) {
  const auto ladder = first_ladder(settings.ensemble, charge_model(system));
  return thermodynamics::ScreeningNodes(ladder, system.topology.electrostatics.cutoff_nm)
      .kappa_per_nm();
}

}  // namespace

EnsembleMemory ensemble_memory(const input::Settings& settings, const topology::Topology& topology,
                               const replicas::ObserverPlan& plan,
                               const RankReplicas& rank_replicas) {
  EnsembleMemory memory;
  memory.arrays = device::MemoryEstimate(rank_replicas.on_gpu);
  const std::int64_t replicas = rank_replicas.replicas;
  const auto& ensemble = settings.ensemble;
  const std::int64_t residues = topology.residue_count();
  const replicas::ReplicaSetOptions options{
      .strongest_contacts = ensemble.strongest_contacts(),
      .umbrella = setup::umbrella_variable(ensemble, topology),
      .kappa_per_nm = rank_replicas.kappa_per_nm};
  const auto of_engines = setup::engine_settings(settings);
  const bool is_resident = replicas::resident_obstacle(topology, of_engines,
                                                       options.strongest_contacts, options.umbrella)
                               .empty();
  device::MemoryEstimate one_engine(rank_replicas.on_gpu);
  if (!is_resident) {
    const auto state = rank_replicas.first_state();
    one_engine = setup::MemoryEstimator(settings, topology, state, rank_replicas.on_gpu)
                     .on(1)
                     .of(0)
                     .on_device();
  }
  replicas::estimate_replicas(memory.arrays, topology, of_engines, options,
                              {replicas, rank_replicas.threads, ensemble.exchanges()}, one_engine);
  memory.replicas_bytes = memory.arrays.device_bytes();
  memory.host_bytes = replicas * residues * state_bytes_per_residue;
  if (plan.any()) {
    memory.counts_bytes = replicas::counted_bytes(topology, plan);
    replicas::ReplicaObserver::estimate(memory.arrays, topology, plan, replicas);
    // The rank that reads and writes files holds the rows of all ranks for a while.
    auto whole = plan;
    whole.share = 0;
    whole.shares = 1;
    memory.host_bytes += copies_of_counts * replicas::counted_bytes(topology, whole);
    if (plan.has_sparse_maps(residues)) {
      memory.host_bytes += copies_of_counts * plan.large_tables() *
                           analysis::SparseContactMaps::expected_bytes(residues);
    }
  }
  memory.arrays.in("topology").host("topology", setup::topology_bytes(topology));
  memory.arrays.in("files").host("checkpoint and results", memory.host_bytes);
  return memory;
}

std::string describe(const EnsembleMemory& memory, const replicas::ObserverPlan& plan) {
  using telemetry::format_bytes;
  std::string text =
      fmt::format("memory: about {} for replicas", format_bytes(memory.replicas_bytes));
  if (plan.any()) {
    text += fmt::format(", {} for what is counted over them",
                        format_bytes(memory.device_bytes() - memory.replicas_bytes));
  }
  return text + fmt::format("; up to {} of the host's while files are written",
                            format_bytes(memory.host_bytes));
}

void refuse_absurd_counts(const input::Settings& settings, const EnsembleMemory& memory,
                          const replicas::ObserverPlan& plan) {
  if (!plan.any()) return;
  constexpr std::int64_t most_bytes = std::int64_t{64} << 30U;
  if (memory.counts_bytes > most_bytes) {
    core::refuse("ensemble.analysis",
                 fmt::format("tables of {} for {} states, more than {}",
                             telemetry::format_bytes(memory.counts_bytes), plan.states,
                             telemetry::format_bytes(most_bytes)),
                 remedy);
  }
  // Sums of products of phases can hold 2^31 samples of one state.
  constexpr std::int64_t most_samples = std::int64_t{1} << 30U;
  const auto& e = settings.ensemble;
  const std::int64_t times = settings.dynamics.steps / e.sample_every_steps + 1;
  if (times > most_samples / e.ladders) {
    core::refuse(
        "ensemble.sample_every_steps",
        fmt::format("{} samples of {} ladders, of which 2^30 can be counted", times, e.ladders),
        "sample less often, or switch all of ensemble.analysis off");
  }
}

void require_memory(const comm::Communicator& communicator, const device::JobDevices& devices,
                    const EnsembleMemory& memory) {
  const auto there = device::free_memory(devices);
  const bool one_memory = !there.on_gpu;
  const std::int64_t device = memory.arrays.needed_device_bytes() +
                              (one_memory ? memory.host_bytes : 0) - there.device_bytes;
  const std::int64_t host = one_memory ? 0 : memory.host_bytes - there.host_bytes;
  const std::int64_t missing = communicator.max(std::max(device, host));
  if (missing <= 0) return;
  core::refuse(
      "ensemble",
      fmt::format("needs about {} on each rank and {} of its host; {} are missing",
                  telemetry::format_bytes(memory.device_bytes()),
                  telemetry::format_bytes(memory.host_bytes), telemetry::format_bytes(missing)),
      memory.counts_bytes > memory.replicas_bytes
          ? remedy
          : "take fewer ensemble.ladders, or more ranks on more nodes");
}

std::string check_ensemble_memory(const input::Settings& settings, const setup::SystemSetup& system,
                                  const system::State& first_state) {
  const auto& e = settings.ensemble;
  const auto& topology = system.topology;
  const auto plan = observer_plan(settings, topology, first_ladder(e, charge_model(system)));
  const auto memory = ensemble_memory(settings, topology, plan,
                                      {e.replicas(), 1, screening_kappas(settings, system),
                                       device::computes_on_gpu(), [&] { return first_state; }});
  refuse_absurd_counts(settings, memory, plan);
  return describe(memory, plan) + ", on one rank";
}

setup::RunMemory estimate_ensemble_memory(const input::Settings& settings,
                                          const setup::SystemSetup& system,
                                          const system::State& first_state, int rank_count,
                                          int threads, bool on_gpu) {
  const auto& e = settings.ensemble;
  const auto plan = distribute_rows(
      observer_plan(settings, system.topology, first_ladder(e, charge_model(system))),
      system.topology, 0, rank_count);
  const std::int64_t replicas = (e.replicas() + rank_count - 1) / rank_count;
  setup::RunMemory memory;
  memory.rank_count = rank_count;
  memory.residues = e.replicas() * system.topology.residue_count();
  memory.ranks.push_back(ensemble_memory(settings, system.topology, plan,
                                         {replicas, threads, screening_kappas(settings, system),
                                          on_gpu, [&] { return first_state; }})
                             .arrays);
  return memory;
}

}  // namespace nfold::ensemble
