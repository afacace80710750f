// Defaults and rules that involve several keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/consistency.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "input/force_field.hpp"

namespace nfold::input {

using document::SectionReader;

namespace {

/// Default cutoffs [nm] of contact maps, in the order of ContactMap: shadow from SMOG 2, heavy-atom
/// and calpha from the literature of cutoff maps.
constexpr std::array map_cutoffs_nm{0.6, 0.45, 0.8};

constexpr double kcal_kj = 4.184;

/// k [kJ/mol/nm^2] and mass [amu] of the bond that limits the time step; k = 0 if the user's own
/// table, not yet read, contains them.
struct StiffestBond {
  double k_kj_mol_nm2, mass_amu;
};

/// The built-in force field of a model, without the options of the input; null for go.
const ForceField* built_in(ForceFieldModel model) {
  static std::map<ForceFieldModel, ForceField> fields;
  static std::mutex mutex;
  if (model == ForceFieldModel::go) return nullptr;
  const std::scoped_lock lock(mutex);
  const auto known = fields.find(model);
  if (known != fields.end()) return &known->second;
  return &fields.emplace(model, evaluate(*builtin_force_field(model_name(model)), {}))
              .first->second;
}

StiffestBond stiffest_bond(const ForceFieldSettings& force_field) {
  const double go_k = force_field.bond_k_per_nm2 * force_field.epsilon_kj_mol;
  if (force_field.model == ForceFieldModel::go) return {go_k, force_field.mass_amu};
  const auto& condensate = force_field.condensate;
  if (!condensate.table.empty()) return {0, 1};
  const auto& beads = built_in(force_field.model)->beads;
  const auto lightest =
      std::min_element(beads.begin(), beads.end(),
                       [](const auto& a, const auto& b) { return a.mass_amu < b.mass_amu; });
  const double k = condensate.bond_k_kj_mol_nm2;
  return {condensate.domains == FoldedDomains::go ? std::max(k, go_k) : k, lightest->mass_amu};
}

/// Returns the longest stable time step of a long chain of such bonds: h < 2/w, w^2 = 4k/m.
double bond_limit_ps(const ForceFieldSettings& force_field) {
  const auto [k, mass] = stiffest_bond(force_field);
  return std::sqrt(mass / k);  // infinite for k = 0
}

/// Checks options that the pair terms of the model do not have. Returns true if it has all.
bool check_pair_terms(const ForceFieldSettings& field, SectionReader& reader) {
  const auto& condensate = field.condensate;
  const ForceField& model = *built_in(field.model);
  const std::string_view name = model_name(field.model);
  bool has_all = true;
  const auto refuse = [&](std::string_view key, const std::string& problem, std::string remedy) {
    has_all = false;
    reader.complain(key, fmt::format("{} for {}", problem, name), std::move(remedy));
  };
  const auto* const contact = model.contact();
  const bool has_cutoff = condensate.short_range_cutoff_nm > 0;
  const std::string_view cutoff_key = has_cutoff ? "force_field.short_range_cutoff_nm"
                                                 : "force_field.short_range_cutoff_over_sigma";
  const bool is_cut = has_cutoff || condensate.short_range_cutoff_over_sigma > 0;
  const bool is_wang_frenkel =
      contact != nullptr && contact->kind == pair_forms::FunctionKind::wang_frenkel;
  if (is_cut && is_wang_frenkel) {
    refuse(cutoff_key, "a cutoff of the short-range potential",
           "its pairs end at three times their sigma by definition: leave it out");
  } else if (is_cut && contact == nullptr) {
    refuse(cutoff_key, "a cutoff of the short-range potential",
           "it has several pair terms: change their cutoffs in a table of your own");
  }
  if (condensate.short_range_shifted != ModelFlag::by_model && contact == nullptr) {
    refuse("force_field.short_range_shifted", "a shift of the short-range potential",
           "it has several pair terms: change them in a table of your own");
  }
  const std::pair<std::string_view, bool> charge_keys[] = {
      {"force_field.electrostatic_cutoff_nm", condensate.electrostatic_cutoff_nm > 0},
      {"force_field.electrostatic_shifted",
       condensate.electrostatic_shifted != ModelFlag::by_model},
      {"force_field.dielectric_constant", condensate.dielectric_constant > 0},
      {"force_field.inverse_debye_length_per_nm", condensate.inverse_debye_length_per_nm > 0}};
  for (const auto& [key, is_given] : charge_keys) {
    if (is_given && !model.charges.acts) {
      refuse(key, std::string(key), "it has no Debye-Hueckel potential: leave it out");
    }
  }
  const bool may_only_repel =
      contact != nullptr && contact->kind == pair_forms::FunctionKind::ashbaugh_hatch;
  // A table that lets terms of native contacts act is made for go domains.
  const bool has_own_rule = model.chain_kind("protein").excluded.native != NativePairs::none;
  if (!may_only_repel && !has_own_rule && condensate.domains == FoldedDomains::go) {
    refuse("force_field.domains", "force_field.domains = go",
           "its pairs have no repulsion of their own inside a domain: take elastic-network, or a "
           "model with Ashbaugh-Hatch pairs");
  }
  return has_all;
}

void complete_force_field(Settings& settings, const document::GivenKeys& given,
                          SectionReader& reader) {
  auto& field = settings.force_field;
  auto& contacts = field.contacts;
  if (!given.contains("force_field.contacts.cutoff_nm")) {
    contacts.cutoff_nm = map_cutoffs_nm.at(static_cast<std::size_t>(contacts.map));
  }
  if (field.model == ForceFieldModel::go) return;
  const bool any_domains =
      std::any_of(settings.system.species.begin(), settings.system.species.end(),
                  [](const SpeciesSettings& species) { return !species.domains.empty(); });
  if (any_domains && !given.contains("force_field.domains")) {
    field.condensate.domains = FoldedDomains::elastic_network;
  }
  const bool go_domains = field.condensate.domains == FoldedDomains::go;
  if (go_domains && !given.contains("force_field.epsilon_kj_mol")) field.epsilon_kj_mol = kcal_kj;
  if (field.condensate.table.empty() && check_pair_terms(field, reader)) {
    field.condensate =
        evaluate(*builtin_force_field(model_name(field.model)), {}, field.condensate).options;
  }
}

void complete_dynamics(Settings& settings, const document::GivenKeys& given) {
  const auto model = settings.force_field.model;
  if (model == ForceFieldModel::go) return;
  auto& dynamics = settings.dynamics;
  if (!given.contains("dynamics.time_step_ps")) dynamics.time_step_ps = 0.01;
  if (!given.contains("dynamics.temperature_kelvin")) dynamics.temperature_kelvin = 300;
  if (!given.contains("dynamics.friction_per_ps")) {
    dynamics.friction_per_ps = built_in(model)->facts.friction_per_ps;
  }
}

void check_dynamics(const Settings& settings, SectionReader& reader) {
  const double limit_ps = bond_limit_ps(settings.force_field);
  const double step_ps = settings.dynamics.time_step_ps;
  if (step_ps < limit_ps) return;
  const bool is_go = settings.force_field.model == ForceFieldModel::go;
  reader.complain("dynamics.time_step_ps", fmt::format("dynamics.time_step_ps = {}", step_ps),
                  fmt::format("bonds explode from {:.3g} ps on, sqrt(mass/k); take a tenth of it "
                              "or less, or {}",
                              limit_ps, is_go ? "a larger force_field.mass_amu" : "softer bonds"));
}

/// Checks one bias. `prefix` of its keys in errors: "bias." or "bias.more[0].".
void check_one_bias(const BiasSettings& bias, const std::string& prefix, SectionReader& reader) {
  // A resolved input has every key, so keys that are not read must have their defaults.
  const BiasSettings usual;
  const auto refuse_if = [&](bool is_changed, const std::string& key) {
    if (!is_changed) return;
    if (bias.residues.empty()) {
      reader.complain(prefix + key, fmt::format("{0}{1}, but no {0}residues", prefix, key),
                      "give the residues, or leave the bias out");
    } else {
      reader.complain(prefix + key,
                      fmt::format("{}{} of a {} bias", prefix, key,
                                  bias::bias_form_names[static_cast<std::size_t>(bias.form)]),
                      "that form does not read it: leave it out, or choose another form");
    }
  };
  const bool is_there = !bias.residues.empty();
  const bool is_linear = is_there && bias.form == bias::BiasForm::linear;
  const bool has_centre = is_there && !is_linear;
  const bool has_width = is_there && bias.form == bias::BiasForm::flat_bottom;
  refuse_if(!is_there && bias.variable != usual.variable, "variable");
  refuse_if(!is_there && bias.form != usual.form, "form");
  refuse_if(!has_centre && bias.centre_nm != usual.centre_nm, "centre_nm");
  refuse_if(!has_centre && bias.k_kj_mol_nm2 != usual.k_kj_mol_nm2, "k_kj_mol_nm2");
  refuse_if(!has_width && bias.half_width_nm != usual.half_width_nm, "half_width_nm");
  refuse_if(!is_linear && bias.pull_kj_mol_nm != usual.pull_kj_mol_nm, "pull_kj_mol_nm");
}

void check_biases(const Settings& settings, SectionReader& reader) {
  check_one_bias(settings.bias, "bias.", reader);
  for (std::size_t k = 0; k < settings.more_biases.size(); ++k) {
    const auto& bias = settings.more_biases[k];
    const std::string prefix = fmt::format("bias.more[{}].", k);
    check_one_bias(bias, prefix, reader);
    for (const auto& [key, residues] : {std::pair(std::string("bias."), &settings.bias.residues),
                                        std::pair(prefix, &bias.residues)}) {
      if (!residues->empty()) continue;
      reader.complain(key + "residues", "one of several biases has no residues",
                      "give its residues, or leave it out");
    }
  }
  if (!settings.bias.residues.empty() && settings.ensemble.is_enabled()) {
    reader.complain("bias.residues", "a bias beside an ensemble",
                    "take umbrellas (ensemble.umbrella_centres_nm), which its free energies "
                    "account for");
  }
}

void check_partition(const PartitionSettings& partition, SectionReader& reader) {
  const bool reads_domains = partition.method == PartitionMethod::domains ||
                             partition.method == PartitionMethod::automatic;
  if (partition.domains.empty() || reads_domains) return;
  reader.complain("partition.domains", "partition.domains beside a method that does not read it",
                  "take partition.method = domains, or leave them out");
}

void check_devices(const DeviceSettings& devices, SectionReader& reader) {
  constexpr double gb_per_mb = 1e-3;
  const double pool_gb = gb_per_mb * static_cast<double>(devices.memory_pool_mb);
  if (devices.memory_limit_gb == 0 || pool_gb <= devices.memory_limit_gb) return;
  reader.complain("devices.memory_pool_mb",
                  fmt::format("a pool of {:g} GB, more than the devices.memory_limit_gb = {:g} of "
                              "a rank's arrays",
                              pool_gb, devices.memory_limit_gb),
                  "give a smaller pool, or a larger limit");
}

void check_force_field(const ForceFieldSettings& field, SectionReader& reader) {
  const auto& condensate = field.condensate;
  if (field.model == ForceFieldModel::go && condensate.domains != FoldedDomains::none) {
    reader.complain("force_field.domains", "force_field.domains for the go model",
                    "that model holds the whole structure: leave it out, or choose a condensate "
                    "model");
  }
  if (field.model == ForceFieldModel::go && condensate.flexible_angles) {
    reader.complain("force_field.flexible_angles", "flexible angles in the go model",
                    "its angles are those of the structure: leave it out, or choose a condensate "
                    "model, with force_field.domains = go for what is folded");
  }
}

}  // namespace

void check_observables(const ObservableSettings& observables, SectionReader& reader) {
  if (observables.dilute_error == 0) return;
  if (observables.coexistence && observables.every_steps > 0) return;
  reader.complain("observables.dilute_error",
                  fmt::format("observables.dilute_error = {} without {}", observables.dilute_error,
                              observables.coexistence ? "samples" : "observables.coexistence"),
                  "set observables.coexistence: true and observables.every_steps, or leave it out");
}

void complete_and_check(Settings& settings, SectionReader& reader) {
  complete_and_check_system(settings, reader);
  complete_force_field(settings, reader.given(), reader);
  complete_dynamics(settings, reader.given());
  complete_and_check_start(settings, reader);
  check_force_field(settings.force_field, reader);
  check_dynamics(settings, reader);
  complete_and_check_ensemble(settings, reader);
  check_biases(settings, reader);
  check_partition(settings.partition, reader);
  check_devices(settings.devices, reader);
  check_observables(settings.observables, reader);
  if (settings.output.dcd && settings.output.trajectory_every_steps == 0) {
    reader.complain("output.dcd", "output.dcd = true, but output.trajectory_every_steps = 0",
                    "give an interval, or leave the DCD out");
  }
}

}  // namespace nfold::input
