// Settings of a target with the defaults of its protocol, and its size from its system.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "batch/withdrawal.hpp"
#include "comm/communicator.hpp"
#include "core/refusal.hpp"
#include "session/ensemble/chain_protocol.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/job/failure.hpp"

namespace nfold::estimate {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetPart, replicas, steps, energy_gathers, samples,
                                   temperatures, counts_contacts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetWork, residues, terms, is_go, is_resident, parts,
                                   repulsion_nm)

}  // namespace nfold::estimate

namespace nfold::batch {
namespace {

using ensemble::Stage;
using ensemble::StageParameters;

/// Defaults that an input overrides: mass and time step of the benchmark, half of the stable time
/// step, and the friction at which ubiquitin folds fastest.
const std::vector<std::string> folding_defaults{"force_field.mass_amu=100",
                                                "dynamics.time_step_ps=0.01",
                                                "dynamics.friction_per_ps=0.05",
                                                "output.trajectory_every_steps=0",
                                                "output.energies_every_steps=0",
                                                "output.checkpoint_every_minutes=1",
                                                "dynamics.steps=1000"};
const std::vector<std::string> run_defaults{"dynamics.steps=1000000"};
const std::vector<std::string> chain_defaults{
    "force_field.model=calvados2", "output.trajectory_every_steps=0",
    "output.energies_every_steps=0", "output.checkpoint_every_minutes=1"};

const std::vector<std::string> phase_defaults{
    "force_field.model=calvados2", "dynamics.steps=100000000",
    // Concentrations do not depend on friction, but chains cross a dilute phase faster with less.
    "dynamics.friction_per_ps=0.001", "start.from=slab", "output.trajectory_every_steps=0",
    "output.energies_every_steps=0", "output.checkpoint_every_minutes=1",
    "observables.every_steps=5000", "observables.coexistence=true", "observables.dilute_error=0.1",
    "observables.density_profile=false", "observables.clusters=false",
    "observables.contact_maps=false", "observables.chain_sizes=false",
    "observables.mean_square_displacement=false", "observables.pressure=false"};

/// work: of the system; its parts are ignored.
ensemble::FoldingProtocol make_protocol(const input::BatchFile& batch,
                                        const estimate::TargetWork& work, double epsilon_kj_mol) {
  return {{work.residues, work.terms, work.is_resident, epsilon_kj_mol, work.repulsion_nm},
          batch.budget_gpu_seconds > 0 ? batch.budget_gpu_seconds
                                       : ensemble::budget_gpu_seconds(work.residues)};
}

/// Returns the settings of each part, with any temperatures.
std::vector<input::Settings> all_stage_settings(const input::TargetInput& input,
                                                const std::vector<std::string>& overrides,
                                                const ensemble::FoldingProtocol& protocol) {
  constexpr double kelvin = 300;
  std::vector<input::Settings> parts;
  parts.reserve(ensemble::all_stages.size());
  for (const auto stage : ensemble::all_stages) {
    parts.push_back(
        stage_settings(input, overrides, protocol.stage_parameters(stage, kelvin), stage));
  }
  return parts;
}

}  // namespace

void to_json(nlohmann::json& json, const TargetSize& size) {
  json = {size.work, size.execution, size.protocol, size.problem, size.notes};
}

void from_json(const nlohmann::json& json, TargetSize& size) {
  json.at(0).get_to(size.work);
  json.at(1).get_to(size.execution);
  json.at(2).get_to(size.protocol);
  json.at(3).get_to(size.problem);
  json.at(4).get_to(size.notes);
}

input::Settings stage_settings(const input::TargetInput& input,
                               const std::vector<std::string>& overrides,
                               const StageParameters& plan, Stage stage) {
  const bool unfolded = stage == Stage::kinetics, counts = stage == Stage::ladder;
  auto last = overrides;
  for (auto&& value :
       {fmt::format("start.from={}", unfolded ? "unfolded" : "native"),
        fmt::format("dynamics.steps={}", plan.steps),
        fmt::format("ensemble.temperatures={}", plan.temperatures),
        fmt::format("ensemble.lowest_kelvin={}", plan.lowest_kelvin),
        fmt::format("ensemble.highest_kelvin={}", plan.highest_kelvin),
        fmt::format("ensemble.ladders={}", plan.ladders),
        fmt::format("ensemble.exchange_every_steps={}", plan.exchange_every_steps),
        fmt::format("ensemble.sample_every_steps={}", plan.sample_every_steps),
        fmt::format("ensemble.equilibration_steps={}", plan.equilibration_steps),
        fmt::format("ensemble.starts={}", stage == Stage::ladder ? "both-ends" : "same"),
        // Analyses at samples in the ladder only. Matrices only near the middle of the
        // transition.
        fmt::format("ensemble.analysis.contacts={}", counts),
        fmt::format("ensemble.analysis.radius_of_gyration={}", counts),
        fmt::format("ensemble.analysis.phase_locking={}", counts),
        fmt::format("ensemble.analysis.at_kelvin={}",
                    std::sqrt(plan.lowest_kelvin * plan.highest_kelvin)),
        // Distinct random numbers for each part.
        fmt::format("dynamics.replica={}", static_cast<int>(stage) << 24)}) {
    last.push_back(value);
  }
  return input.settings(folding_defaults, last);
}

input::Settings chain_settings(const input::TargetInput& input,
                               const std::vector<std::string>& overrides, std::int64_t residues) {
  auto first = chain_defaults;
  for (auto& value : ensemble::chain_protocol(residues)) first.push_back(std::move(value));
  return input.settings(first, overrides);
}

input::Settings first_settings(const input::TargetInput& input,
                               const std::vector<std::string>& overrides) {
  constexpr StageParameters placeholder{1, 1, 100, 100, 1000, 0, 1000, 0};
  switch (input.protocol) {
    case input::Protocol::folding:
      return stage_settings(input, overrides, placeholder, Stage::scan);
    case input::Protocol::chain:
      return chain_settings(input, overrides, 1);
    case input::Protocol::phase:
      return input.settings(phase_defaults, overrides);
    case input::Protocol::run:
      break;
  }
  return input.settings(run_defaults, overrides);
}

void require_go_model(const input::TargetInput& input, const std::vector<std::string>& overrides,
                      const std::string& where) {
  const auto settings = input.settings(folding_defaults, overrides);
  if (settings.force_field.model == input::ForceFieldModel::go) return;
  core::refuse(where, "the folding protocol with a condensate model",
               "it needs native contacts: force_field.model: go, or protocol: run");
}

ensemble::FoldingProtocol make_protocol(const input::BatchFile& batch,
                                        const input::Settings& settings,
                                        const setup::SystemSetup& system,
                                        const std::string& where) {
  const auto& topology = system.topology;
  if (topology.contacts_12_10.empty() && topology.contacts_gaussian.empty()) {
    core::refuse(where, "no native contact, so nothing can fold",
                 "another force_field.contacts.map, or protocol: run");
  }
  return make_protocol(batch, ensemble::count_replica_work(settings, topology, {}),
                       settings.force_field.epsilon_kj_mol);
}

std::string describe_protocol(const input::BatchFile& batch, const TargetSize& size) {
  switch (size.protocol) {
    case input::Protocol::folding:
      return make_protocol(batch, size.work, 1).describe();
    case input::Protocol::chain: {
      const auto& part = size.work.parts.front();
      return fmt::format("one chain: {} replicas, at most {} steps, a sample every {}",
                         part.replicas, part.steps,
                         part.steps / std::max<std::int64_t>(1, part.samples));
    }
    case input::Protocol::phase:
      return fmt::format("a slab: at most {} steps", size.work.parts.front().steps);
    case input::Protocol::run:
      break;
  }
  return {};
}

TargetSize read_target_size(const input::BatchFile& batch, const input::BatchTarget& target,
                            const std::vector<std::string>& overrides, const PartsVisitor& visit) {
  TargetSize size;
  try {
    const auto input = input::read_target_input(batch, target);
    size.execution = input.execution;
    const std::string where = fmt::format("target '{}'", target.name);
    const bool folds = input.protocol == input::Protocol::folding;
    if (folds) require_go_model(input, overrides, where);
    auto settings = first_settings(input, overrides);
    const auto system = setup::build_system(comm::Communicator(), settings, input.path_base);
    size.notes = system.structure_notes;
    size.protocol = input.protocol;
    if (input.protocol == input::Protocol::chain) {
      settings = chain_settings(input, overrides, system.topology.residue_count());
    }
    std::vector<input::Settings> parts{settings};
    if (folds) {
      const auto protocol = make_protocol(batch, settings, system, where);
      size.work = protocol.work();
      if (visit) parts = all_stage_settings(input, overrides, protocol);
    } else {
      size.work = ensemble::count_work(settings, system.topology);
    }
    if (visit) visit(system, parts, input.path_base);
  } catch (const std::exception& failure) {
    if (!is_target_fault(failure, comm::Communicator())) throw;
    size.problem = job::to_failure(failure).what();
  }
  return size;
}

double wait_weight(const TargetSize& size) {
  return static_cast<double>(std::max<std::int64_t>(1, size.work.residues) *
                             estimate::fewest_replicas(size.work));
}

}  // namespace nfold::batch
