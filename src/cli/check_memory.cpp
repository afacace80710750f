// nfold check --memory: memory of each rank on the devices here or on a machine's GPUs.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/check_parts.hpp"
#include "comm/communicator.hpp"
#include "core/refusal.hpp"
#include "device/device_memory.hpp"
#include "session/ensemble/memory.hpp"
#include "session/setup/machine_lookup.hpp"
#include "session/setup/memory_placement.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::cli {
namespace {

/// Memory estimates of one input.
struct Estimates {
  setup::RunMemory memory;                            ///< on the ranks that were asked for
  std::function<setup::RunMemory(int)> on;            ///< on another number of ranks
  const setup::MemoryEstimator* estimator = nullptr;  ///< null for an ensemble
};

/// Returns the machine on whose GPUs a run is checked; none: it computes on cores here.
std::optional<estimate::Machine> machine_with_gpus(const CheckOptions& options) {
  if (options.machine.empty() && !device::computes_on_gpu()) return std::nullopt;
  auto machine = setup::machine_for(options.machine);
  if (machine.has_gpus()) return machine;
  if (options.machine.empty()) return std::nullopt;
  core::refuse("--machine", fmt::format("{} has no GPU", options.machine),
               "name one with GPUs, or leave it out for the memory of this computer");
}

/// Notes the tables of a run's memory on the devices here, and its comparison with what is free.
void note_memory_here(const CheckOptions& options, const Estimates& estimates,
                      const input::Settings& settings, Findings& findings) {
  const auto runtime = setup::runtime_memory(options.ranks);
  findings.note_all(setup::memory_table(estimates.memory, runtime));
  findings.note_all(
      setup::compare_with_free_memory(estimates.memory, runtime, estimates.estimator, settings));
  findings.note("--machine NAME: on the GPUs of a machine, with the arrays that move to the host");
  const auto limit = setup::device_memory_limit(options.device_memory, settings);
  const auto free = limit > 0 ? limit : device::device_memory().free_bytes;
  findings.details["memory"].push_back(
      nlohmann::ordered_json(setup::placement_json(setup::place(estimates.memory, {free, 0}))));
}

/// Notes the tables of a run's memory on a machine's GPUs, with arrays where they would stand.
void note_memory_on(const estimate::Machine& machine, const CheckOptions& options,
                    const Estimates& estimates, const input::Settings& settings,
                    Findings& findings) {
  const int nodes = (options.ranks + machine.gpus_per_node - 1) / machine.gpus_per_node;
  const auto runtime = setup::runtime_memory(options.ranks, true, nodes);
  const auto limit = setup::device_memory_limit(options.device_memory, settings);
  const auto placed =
      setup::place(estimates.memory, setup::rank_memory(machine, options.ranks, limit));
  findings.note_all(setup::memory_table(placed.memory, runtime));
  if (options.machine.empty()) {
    findings.note_all(
        setup::compare_with_free_memory(estimates.memory, runtime, estimates.estimator, settings));
  }
  findings.note_all(setup::placement_table(placed));
  const auto count = setup::smallest_gpu_count(machine, limit, estimates.on);
  findings.note(setup::describe_smallest_count(machine, count));
  auto json = setup::placement_json(placed);
  json["machine"] = machine.name;
  json["smallest_gpu_count"] = count ? nlohmann::json(*count) : nlohmann::json();
  findings.details["memory"].push_back(nlohmann::ordered_json(json));
}

void note_memory(const CheckOptions& options, const Estimates& estimates,
                 const input::Settings& settings, Findings& findings) {
  refuse_memory(options, estimates.memory, estimates.estimator, settings, findings);
  if (const auto machine = machine_with_gpus(options)) {
    note_memory_on(*machine, options, estimates, settings, findings);
  } else {
    note_memory_here(options, estimates, settings, findings);
  }
}

void note_run_memory(const CheckOptions& options, const setup::MemoryEstimator& estimator,
                     const input::Settings& settings, Findings& findings) {
  note_memory(
      options,
      {estimator.on(options.ranks), [&](int ranks) { return estimator.about(ranks); }, &estimator},
      settings, findings);
}

bool is_for_gpu(const CheckOptions& options) {
  return !options.machine.empty() || device::computes_on_gpu();
}

/// Describes memory from one part of a large system of many copies. Returns false if the whole
/// system has to be built.
bool describe_part_memory(const CheckOptions& options, const CheckedInput& input,
                          Findings& findings) {
  const auto& settings = input.settings;
  const comm::Communicator alone;
  auto part = setup::build_part(alone, settings, input.file, setup::part_residues);
  if (!setup::is_estimated_by_part(settings, part.residues) || part.times <= 1) return false;
  findings.note(fmt::format("{} residues, planned by {} of them", part.residues,
                            part.system.topology.residue_count()));
  const setup::MemoryEstimator estimator(settings, input.file, std::move(part),
                                         is_for_gpu(options));
  note_run_memory(options, estimator, settings, findings);
  return true;
}

}  // namespace

void refuse_memory(const CheckOptions& options, const setup::RunMemory& memory,
                   const setup::MemoryEstimator* estimator, const input::Settings& settings,
                   Findings& findings) {
  if (options.memory && setup::device_memory_limit(options.device_memory, settings) == 0) return;
  findings.collect(
      [&] { setup::refuse_beyond_limit(memory, estimator, settings, options.device_memory); });
}

void check_memory(const CheckOptions& options, const CheckedInput& input, Findings& findings) {
  const auto& settings = input.settings;
  const comm::Communicator alone;
  if (!settings.ensemble.is_enabled() && describe_part_memory(options, input, findings)) return;
  const auto system = setup::build_system(alone, settings, input.file);
  const auto first = setup::first_state(alone, settings, input.file, system.topology);
  findings.note(fmt::format("{} residues", system.topology.residue_count()));
  if (!settings.ensemble.is_enabled()) {
    const setup::MemoryEstimator estimator(settings, system.topology, first.state,
                                           is_for_gpu(options));
    note_run_memory(options, estimator, settings, findings);
    return;
  }
  const auto on = [&](int ranks) {
    return ensemble::estimate_ensemble_memory(settings, system, first.state, ranks,
                                              std::max(1, options.threads), is_for_gpu(options));
  };
  note_memory(options, {on(options.ranks), on}, settings, findings);
}

}  // namespace nfold::cli
