// Settings of a target with the defaults of its protocol, and its size from its system.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "batch/fault.hpp"
#include "comm/communicator.hpp"
#include "core/refusal.hpp"
#include "replicas/replica_set.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/job/failure.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/system_setup.hpp"

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

}  // namespace

std::vector<std::string> stage_values(const StageParameters& plan, Stage stage) {
  const bool unfolded = stage == Stage::kinetics, counts = stage == Stage::ladder;
  std::vector<std::string> values{
      fmt::format("start.from={}", unfolded ? "unfolded" : "native"),
      fmt::format("dynamics.steps={}", plan.steps),
      fmt::format("ensemble.temperatures={}", plan.temperatures),
      fmt::format("ensemble.lowest_kelvin={}", plan.lowest_kelvin),
      fmt::format("ensemble.highest_kelvin={}", plan.highest_kelvin),
      fmt::format("ensemble.ladders={}", plan.ladders),
      fmt::format("ensemble.exchange_every_steps={}", plan.exchange_every_steps),
      fmt::format("ensemble.sample_every_steps={}", plan.sample_every_steps),
      fmt::format("ensemble.equilibration_steps={}", plan.equilibration_steps),
      fmt::format("ensemble.starts={}", stage == Stage::ladder ? "both-ends" : "same"),
      // Analyses at samples in the ladder only. Matrices only near the middle of the transition.
      fmt::format("ensemble.analysis.contacts={}", counts),
      fmt::format("ensemble.analysis.radius_of_gyration={}", counts),
      fmt::format("ensemble.analysis.phase_locking={}", counts),
      fmt::format("ensemble.analysis.at_kelvin={}",
                  std::sqrt(plan.lowest_kelvin * plan.highest_kelvin)),
      // Distinct random numbers for each part.
      fmt::format("dynamics.replica={}", static_cast<int>(stage) << 24)};
  return values;
}

std::vector<std::string> joined(std::vector<std::string> values,
                                const std::vector<std::string>& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

const std::vector<std::string>& protocol_defaults(input::Protocol protocol) {
  return protocol == input::Protocol::folding ? folding_defaults : run_defaults;
}

void require_go_model(const input::TargetInput& input, const std::vector<std::string>& overrides,
                      const std::string& where) {
  const auto settings = input.settings(folding_defaults, overrides);
  if (settings.force_field.model == input::ForceFieldModel::go) return;
  core::refuse(where, "the folding protocol with a condensate model",
               "it needs native contacts: force_field.model: go, or protocol: run");
}
void require_contacts(const topology::Topology& topology, const std::string& where) {
  if (!topology.contacts_12_10.empty() || !topology.contacts_gaussian.empty()) return;
  core::refuse(where, "no native contact, so nothing can fold",
               "another force_field.contacts.map, or protocol: run");
}

ensemble::SystemSize system_size(const input::Settings& settings,
                                 const topology::Topology& topology) {
  return {topology.residue_count(), ensemble::count_terms(topology),
          ensemble::is_resident_on(replicas::ReplicaProcessor::cpu, settings, topology),
          settings.force_field.epsilon_kj_mol, topology.short_range.cutoff_nm};
}

double target_budget_seconds(const input::BatchFile& batch, std::int64_t residues) {
  return batch.budget_gpu_seconds > 0 ? batch.budget_gpu_seconds
                                      : ensemble::budget_gpu_seconds(residues);
}

std::string describe_protocol(const input::BatchFile& batch, const TargetSize& size) {
  if (!size.folds) return {};
  const auto& work = size.work;
  return ensemble::FoldingProtocol(
             {work.residues, work.terms, work.is_resident, 1, work.repulsion_nm},
             target_budget_seconds(batch, work.residues))
      .describe();
}

TargetSize read_target_size(const input::BatchFile& batch, const input::BatchTarget& target,
                            const std::vector<std::string>& overrides) {
  TargetSize size;
  try {
    const auto input = input::read_target_input(batch, target);
    size.execution = input.execution;
    auto last = overrides;
    const bool folds = input.protocol == input::Protocol::folding;
    const std::string where = fmt::format("target '{}'", target.name);
    if (folds) require_go_model(input, overrides, where);
    if (folds) last = joined(last, stage_values(placeholder_plan, Stage::scan));
    const auto settings = input.settings(protocol_defaults(input.protocol), last);
    auto built = setup::build_system(comm::Communicator(), settings, input.path_base);
    const auto& topology = built.topology;
    size.notes = std::move(built.structure_notes);
    if (folds) require_contacts(topology, where);
    const auto system = system_size(settings, topology);
    if (folds) {
      size.folds = true;
      size.work =
          ensemble::FoldingProtocol(system, target_budget_seconds(batch, system.residues)).work();
    } else {
      size.work = ensemble::count_work(settings, topology);
    }
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
