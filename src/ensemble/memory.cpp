// Counts times sizes, and the refusals.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/memory.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "device/device_memory.hpp"
#include "ensemble/ladder.hpp"
#include "ensemble/observation.hpp"
#include "job/refusal.hpp"
#include "replicas/replica_set.hpp"
#include "setup/collective_variables.hpp"
#include "setup/memory_estimate.hpp"
#include "setup/system_setup.hpp"

namespace nfold::ensemble {
namespace {

// Of a resident replica's residue: positions, velocities, a saved copy of both, forces; of lists
// and energies a share, and where a CPU computes, columns of its threads. Lists of disordered
// chains take more.
constexpr std::int64_t resident_bytes_per_residue = 160, more_of_chains = 512;
// While replicas are made or saved: position, velocity and number of each residue, twice.
constexpr std::int64_t state_bytes_per_residue = 104;
// Counts on the host: a rank's, those of a checkpoint that was read, numbers for the file.
constexpr std::int64_t copies_of_counts = 4;

const char* const remedy =
    "give ensemble.analysis.at_kelvin one temperature, or switch ensemble.analysis.phase_locking "
    "or residue_energies off";

}  // namespace

EnsembleMemory ensemble_memory(const config::Settings& settings, const topology::Topology& topology,
                               const replicas::ObserverPlan& plan, std::int64_t replicas) {
  EnsembleMemory memory;
  const std::int64_t residues = topology.residue_count();
  const bool resident =
      replicas::why_not_resident(topology, setup::engine_settings(settings),
                                 settings.ensemble.strongest_contacts(),
                                 setup::umbrella_variable(settings.ensemble, topology))
          .empty();
  const bool of_chains = topology.short_range.form != topology::ShortRangeForm::repulsion_12;
  memory.replicas_bytes =
      resident
          ? replicas * residues * (resident_bytes_per_residue + (of_chains ? more_of_chains : 0))
          : replicas * setup::estimate_memory(
                           topology, topology.short_range.cutoff_nm + setup::typical_skin_nm)
                           .engine_bytes;
  memory.host_bytes = replicas * residues * state_bytes_per_residue;
  if (plan.any()) {
    memory.counts_bytes = replicas::counted_bytes(topology, plan);
    memory.observer_bytes = replicas::observer_bytes(topology, plan, replicas);
    memory.host_bytes += copies_of_counts * memory.counts_bytes;
  }
  return memory;
}

std::string in_words(const EnsembleMemory& memory, const replicas::ObserverPlan& plan) {
  using device::memory_text;
  std::string text =
      fmt::format("memory: about {} for replicas", memory_text(memory.replicas_bytes));
  if (plan.any()) {
    text += fmt::format(", {} for what is counted over them",
                        memory_text(memory.counts_bytes + memory.observer_bytes));
  }
  return text + fmt::format("; up to {} of the host's while files are written",
                            memory_text(memory.host_bytes));
}

void refuse_absurd_counts(const config::Settings& settings, const EnsembleMemory& memory,
                          const replicas::ObserverPlan& plan) {
  if (!plan.any()) return;
  constexpr std::int64_t most_bytes = std::int64_t{64} << 30U;
  if (memory.counts_bytes > most_bytes) {
    job::refuse("ensemble.analysis",
                fmt::format("tables of {} for {} states, more than {}",
                            device::memory_text(memory.counts_bytes), plan.states,
                            device::memory_text(most_bytes)),
                remedy);
  }
  // Sums of products of phases have room for 2^31 samples of one state.
  constexpr std::int64_t most_samples = std::int64_t{1} << 30U;
  const auto& e = settings.ensemble;
  const std::int64_t times = settings.dynamics.steps / e.sample_every_steps + 1;
  if (times > most_samples / e.ladders) {
    job::refuse(
        "ensemble.sample_every_steps",
        fmt::format("{} samples of {} ladders, of which 2^30 can be counted", times, e.ladders),
        "sample less often, or switch all of ensemble.analysis off");
  }
}

void require_memory(const comm::Communicator& communicator, const device::DevicesOfJob& devices,
                    const EnsembleMemory& memory) {
  const auto there = device::free_memory(devices);
  const bool one_memory = !there.on_gpu;
  const std::int64_t device =
      memory.device_bytes() + (one_memory ? memory.host_bytes : 0) - there.device_bytes;
  const std::int64_t host = one_memory ? 0 : memory.host_bytes - there.host_bytes;
  const std::int64_t missing = communicator.max(std::max(device, host));
  if (missing <= 0) return;
  job::refuse("ensemble",
              fmt::format("needs about {} on each rank and {} of its host; {} are missing",
                          device::memory_text(memory.device_bytes()),
                          device::memory_text(memory.host_bytes), device::memory_text(missing)),
              memory.counts_bytes > memory.replicas_bytes
                  ? remedy
                  : "take fewer ensemble.ladders, or more ranks on more nodes");
}

std::string check_ensemble_memory(const config::Settings& settings,
                                  const setup::SystemSetup& system) {
  const auto& e = settings.ensemble;
  const auto& topology = system.topology;
  const auto plan = observer_plan(settings, topology, first_ladder(e, model_of_charges(system)));
  const auto memory = ensemble_memory(settings, topology, plan, e.replicas());
  refuse_absurd_counts(settings, memory, plan);
  return in_words(memory, plan) + ", on one rank";
}

}  // namespace nfold::ensemble
