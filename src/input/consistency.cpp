// Defaults and rules that involve several keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/consistency.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

#include "input/checker.hpp"
#include "input/residue_table.hpp"

namespace nfold::input {

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

StiffestBond stiffest_bond(const ForceFieldSettings& force_field) {
  const double go_k = force_field.bond_k_per_nm2 * force_field.epsilon_kj_mol;
  if (force_field.model == ForceFieldModel::go) return {go_k, force_field.mass_amu};
  const auto& condensate = force_field.condensate;
  if (!condensate.table.empty()) return {0, 1};
  const auto& residues = builtin_table(force_field.model).residues;
  const auto lightest =
      std::min_element(residues.begin(), residues.end(),
                       [](const auto& a, const auto& b) { return a.mass_amu < b.mass_amu; });
  const double k = condensate.bond_k_kj_mol_nm2;
  return {condensate.domains == FoldedDomains::go ? std::max(k, go_k) : k, lightest->mass_amu};
}

/// Returns the longest stable time step of a long chain of such bonds: h < 2/w, w^2 = 4k/m.
double bond_limit_ps(const ForceFieldSettings& force_field) {
  const auto [k, mass] = stiffest_bond(force_field);
  return std::sqrt(mass / k);  // infinite for k = 0
}

void complete_force_field(Settings& settings, const GivenKeys& given) {
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
  if (field.condensate.table.empty()) {
    field.condensate = with_table_values(field.condensate, builtin_table(field.model));
  }
}

void complete_dynamics(Settings& settings, const GivenKeys& given) {
  const auto model = settings.force_field.model;
  if (model == ForceFieldModel::go) return;
  auto& dynamics = settings.dynamics;
  if (!given.contains("dynamics.time_step_ps")) dynamics.time_step_ps = 0.01;
  if (!given.contains("dynamics.temperature_kelvin")) dynamics.temperature_kelvin = 300;
  if (!given.contains("dynamics.friction_per_ps")) {
    dynamics.friction_per_ps = model_entry(model).friction_per_ps;
  }
}

void check_dynamics(const Settings& settings, Checker& checker) {
  const double limit_ps = bond_limit_ps(settings.force_field);
  const double step_ps = settings.dynamics.time_step_ps;
  if (step_ps < limit_ps) return;
  const bool is_go = settings.force_field.model == ForceFieldModel::go;
  checker.complain("dynamics.time_step_ps", fmt::format("dynamics.time_step_ps = {}", step_ps),
                   fmt::format("bonds explode from {:.3g} ps on, sqrt(mass/k); take a tenth of it "
                               "or less, or {}",
                               limit_ps, is_go ? "a larger force_field.mass_amu" : "softer bonds"));
}

bool has_native_contacts(const ForceFieldSettings& field) {
  return field.model == ForceFieldModel::go || field.condensate.domains == FoldedDomains::go;
}

/// Completes `ensemble`. A list of temperatures sets their number and ends, whose keys may only
/// repeat it. One temperature needs no second end. Tuning counts as equilibration. phase_locking is
/// off without native contacts, because its tables are large.
void complete_ensemble(Settings& settings, const GivenKeys& given, Checker& checker) {
  auto& ensemble = settings.ensemble;
  if (!given.contains("ensemble.analysis.phase_locking")) {
    ensemble.analysis.phase_locking = has_native_contacts(settings.force_field);
  }
  if (const auto& list = ensemble.temperatures_kelvin; !list.empty()) {
    const auto follow = [&](std::string_view key, auto& value, auto from_list) {
      if (given.contains(key) && value != from_list) {
        checker.complain(key,
                         fmt::format("{} = {} beside ensemble.temperatures_kelvin", key, value),
                         fmt::format("these are {} from {} to {} K: leave it out", list.size(),
                                     list.front(), list.back()));
      }
      value = from_list;
    };
    follow("ensemble.temperatures", ensemble.temperatures, static_cast<int>(list.size()));
    follow("ensemble.lowest_kelvin", ensemble.lowest_kelvin, list.front());
    follow("ensemble.highest_kelvin", ensemble.highest_kelvin, list.back());
  }
  if (!given.contains("ensemble.equilibration_steps")) {
    ensemble.equilibration_steps = ensemble.tuning_steps;
  }
  if (ensemble.temperatures == 1 && !given.contains("ensemble.highest_kelvin")) {
    ensemble.highest_kelvin = ensemble.lowest_kelvin;
  }
}

/// Fewest exchanges per tuning: each change of the ladder uses five of each pair and ladder.
constexpr std::int64_t fewest_exchanges_to_tune = 40;

/// True if the list is strictly monotonic.
bool rises_or_falls(const std::vector<double>& list) {
  const auto is_ordered = [&list](const auto& unordered) {
    return std::adjacent_find(list.begin(), list.end(), unordered) == list.end();
  };
  return is_ordered(std::greater_equal<>()) || is_ordered(std::less_equal<>());
}

/// Checks a list with one value per temperature, or the ladder itself if there is one temperature.
void check_states(std::string_view key, std::string_view what, const std::vector<double>& list,
                  const EnsembleSettings& ensemble, Checker& checker) {
  if (list.size() <= 1 || static_cast<int>(list.size()) == ensemble.temperatures) return;
  if (ensemble.temperatures != 1) {
    checker.complain(
        key, fmt::format("{} {} beside {} temperatures", list.size(), what, ensemble.temperatures),
        "give one for each temperature, or one temperature for all of them");
    return;
  }
  if (!rises_or_falls(list)) {
    checker.complain(key, fmt::format("{} neither rise nor fall throughout", key),
                     fmt::format("neighbours in the list trade: sort the {}, none twice", what));
  }
}

void check_contact_strengths(const EnsembleSettings& ensemble, Checker& checker) {
  const auto& list = ensemble.contact_strengths;
  if (!list.empty() && *std::min_element(list.begin(), list.end()) <= 0) {
    checker.complain("ensemble.contact_strengths", "ensemble.contact_strengths has a 0",
                     "give factors above 0; contacts that do not act at all are another model");
    return;
  }
  check_states("ensemble.contact_strengths", "contact strengths", list, ensemble, checker);
}

void check_ionic_strengths(const Settings& settings, Checker& checker) {
  const auto& ensemble = settings.ensemble;
  const auto& list = ensemble.ionic_strengths_molar;
  if (list.empty()) return;
  const auto refuse = [&](std::string problem, std::string remedy) {
    checker.complain("ensemble.ionic_strengths_molar", std::move(problem), std::move(remedy));
  };
  if (settings.force_field.model == ForceFieldModel::go) {
    refuse("ionic strengths of the go model, which has no charges",
           "take a condensate model, or leave them out");
    return;
  }
  if (settings.force_field.condensate.inverse_debye_length_per_nm > 0) {
    refuse("ionic strengths, but the Debye length is fixed whatever the salt",
           "leave them out, or take a model whose Debye length comes from the salt, such as "
           "calvados2, and no force_field.inverse_debye_length_per_nm");
    return;
  }
  if (list.size() > 1 && ensemble.temperatures == 1 && ensemble.contact_strengths.size() > 1) {
    refuse("several ionic strengths beside several contact strengths",
           "give several of one kind: neighbours in a ladder differ in one thing");
    return;
  }
  check_states("ensemble.ionic_strengths_molar", "ionic strengths", list, ensemble, checker);
}

void check_umbrellas(const EnsembleSettings& ensemble, Checker& checker) {
  const auto& list = ensemble.umbrella_centres_nm;
  const auto refuse = [&](std::string_view key, std::string problem, std::string remedy) {
    checker.complain(key, std::move(problem), std::move(remedy));
  };
  if (list.empty()) {
    if (ensemble.umbrella_residues.empty()) return;
    refuse("ensemble.umbrella_residues", "umbrella residues, but no ensemble.umbrella_centres_nm",
           "give centres, or leave the residues out");
    return;
  }
  if (ensemble.umbrella_residues.empty()) {
    bias::with_variable(ensemble.umbrella_variable, [&](auto variable) {
      refuse("ensemble.umbrella_residues", "umbrellas on no residues",
             fmt::format("give {}", variable.takes));
    });
  }
  if (ensemble.temperatures != 1 || ensemble.contact_strengths.size() > 1 ||
      ensemble.ionic_strengths_molar.size() > 1) {
    refuse("ensemble.umbrella_centres_nm",
           "umbrellas beside several temperatures, contact strengths or ionic strengths",
           "give one temperature and at most one strength: windows are the ladder");
  }
  if (list.size() > 1 && !rises_or_falls(list)) {
    refuse("ensemble.umbrella_centres_nm",
           "ensemble.umbrella_centres_nm neither rise nor fall throughout",
           "neighbours in the list trade: sort the centres, none twice");
  }
}

void check_ladder(const Settings& settings, Checker& checker) {
  const auto& ensemble = settings.ensemble;
  const auto& list = ensemble.temperatures_kelvin;
  const auto falls =
      std::adjacent_find(list.begin(), list.end(), [](double a, double b) { return !(a < b); });
  if (falls != list.end()) {
    checker.complain(
        "ensemble.temperatures_kelvin",
        fmt::format("ensemble.temperatures_kelvin has {} before {}", *falls, *std::next(falls)),
        "sort the temperatures, none twice");
  }
  check_contact_strengths(ensemble, checker);
  check_ionic_strengths(settings, checker);
  check_umbrellas(ensemble, checker);
  if (ensemble.tuning_steps == 0) return;
  const auto refuse = [&](std::string problem, std::string remedy) {
    checker.complain("ensemble.tuning_steps",
                     fmt::format("ensemble.tuning_steps = {} {}", ensemble.tuning_steps, problem),
                     std::move(remedy));
  };
  if (!ensemble.exchanges() || ensemble.states() < 3) {
    refuse("without a ladder to tune",
           "give at least three states that are exchanged, or leave it out");
  } else if (ensemble.tuning_steps / fewest_exchanges_to_tune < ensemble.exchange_every_steps) {
    refuse(fmt::format("with exchange every {} steps", ensemble.exchange_every_steps),
           fmt::format("give at least {} or leave it out",
                       fewest_exchanges_to_tune * ensemble.exchange_every_steps));
  }
  if (ensemble.tuning_steps > ensemble.equilibration_steps) {
    refuse(fmt::format("beyond ensemble.equilibration_steps = {}", ensemble.equilibration_steps),
           "no average may count what is of other states: equilibrate at least as long");
  }
}

/// Each trajectory keeps three files open, and the usual limit of a process is 1,024.
constexpr std::size_t most_trajectories = 256;

void check_trajectory_replicas(const Settings& settings, Checker& checker) {
  const auto& chosen = settings.ensemble.trajectory_replicas;
  if (chosen.empty()) return;
  const auto refuse = [&checker](std::string problem, std::string remedy) {
    checker.complain("ensemble.trajectory_replicas", std::move(problem), std::move(remedy));
  };
  const std::int64_t replicas = settings.ensemble.replicas();
  if (const auto highest = *std::max_element(chosen.begin(), chosen.end()); highest >= replicas) {
    refuse(fmt::format("ensemble.trajectory_replicas has {}, of {} replicas", highest, replicas),
           fmt::format("they are numbered from 0 to {}", replicas - 1));
  }
  const auto falls = std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>());
  if (falls != chosen.end()) {
    refuse(fmt::format("ensemble.trajectory_replicas has {} before {}", *falls, *std::next(falls)),
           "sort the numbers, none twice");
  }
  if (chosen.size() > most_trajectories) {
    refuse(fmt::format("ensemble.trajectory_replicas names {} replicas", chosen.size()),
           fmt::format("choose at most {}", most_trajectories));
  }
  if (settings.output.trajectory_every_steps == 0) {
    refuse("ensemble.trajectory_replicas, but output.trajectory_every_steps = 0",
           "give an interval, or leave the replicas out");
  }
}

void check_ensemble(const Settings& settings, Checker& checker) {
  const auto& ensemble = settings.ensemble;
  if (!ensemble.is_enabled()) {
    if (!ensemble.contact_strengths.empty()) {
      checker.complain("ensemble.contact_strengths", "contact strengths without an ensemble",
                       "give ensemble.temperatures_kelvin, one temperature for all of them or one "
                       "for each, or leave them out");
    }
    if (!ensemble.ionic_strengths_molar.empty()) {
      checker.complain("ensemble.ionic_strengths_molar", "ionic strengths without an ensemble",
                       "give one temperature in ensemble.temperatures_kelvin, or take "
                       "force_field.ionic_strength_molar");
    }
    if (!ensemble.umbrella_centres_nm.empty()) {
      checker.complain("ensemble.umbrella_centres_nm", "umbrellas without an ensemble",
                       "give one temperature in ensemble.temperatures_kelvin, or leave them out");
    }
    return;
  }
  const auto refuse = [&checker](std::string_view key, std::string problem, std::string remedy) {
    checker.complain(key, std::move(problem), std::move(remedy));
  };
  const bool ascends = ensemble.temperatures == 1
                           ? ensemble.highest_kelvin == ensemble.lowest_kelvin
                           : ensemble.highest_kelvin > ensemble.lowest_kelvin;
  if (ensemble.lowest_kelvin <= 0 || !ascends) {
    refuse("ensemble.temperatures",
           fmt::format("{} temperatures from {} to {} K", ensemble.temperatures,
                       ensemble.lowest_kelvin, ensemble.highest_kelvin),
           ensemble.temperatures == 1
               ? "give ensemble.lowest_kelvin above 0 and leave ensemble.highest_kelvin out"
               : "give ensemble.lowest_kelvin above 0 and ensemble.highest_kelvin above that");
  }
  check_ladder(settings, checker);
  check_trajectory_replicas(settings, checker);
  if (!(ensemble.unfolded_native_fraction < ensemble.folded_native_fraction)) {
    refuse("ensemble.unfolded_native_fraction",
           fmt::format("ensemble.unfolded_native_fraction = {}, folded_native_fraction = {}",
                       ensemble.unfolded_native_fraction, ensemble.folded_native_fraction),
           "an unfolded replica has fewer native contacts than a folded one: take less");
  }
  if (!has_native_contacts(settings.force_field)) {
    if (!ensemble.contact_strengths.empty()) {
      refuse("ensemble.contact_strengths", "contact strengths of a model without native contacts",
             "leave them out, or take force_field.domains = go");
    }
    if (ensemble.starts == EnsembleStarts::both_ends) {
      refuse("ensemble.starts", "starts from both ends of a model without native contacts",
             "there is no native end: leave it out");
    }
  }
  if (settings.dynamics.integrator != Integrator::langevin_baoab) {
    refuse("dynamics.integrator", "an ensemble without a bath",
           "temperatures need dynamics.integrator = langevin-baoab");
  }
  if (settings.start.from == StartFrom::checkpoint) {
    refuse("start.from", "an ensemble that starts from a checkpoint",
           "one state is no ensemble: take another start, or ensemble.starts = both-ends");
  }
  if (ensemble.starts == EnsembleStarts::both_ends && settings.start.from != StartFrom::native &&
      settings.start.from != StartFrom::unfolded) {
    refuse("ensemble.starts", "starts from both ends beside a start that is neither",
           "leave start.from or ensemble.starts out");
  }
  const bool is_go = settings.force_field.model == ForceFieldModel::go;
  if (ensemble.analysis.residue_energies && !is_go) {
    refuse("ensemble.analysis.residue_energies", "residues' energies of a condensate model",
           "leave them out: they are known of the go model alone");
  }
  if (settings.start.minimise_steps > 0 && is_go) {
    refuse("start.minimise_steps", "start.minimise_steps in an ensemble of the go model",
           "native and unfolded starts need none: leave it out");
  }
  const double at_kelvin = ensemble.analysis.at_kelvin;
  if (at_kelvin > 0 &&
      (at_kelvin < ensemble.lowest_kelvin || at_kelvin > ensemble.highest_kelvin)) {
    refuse("ensemble.analysis.at_kelvin",
           fmt::format("ensemble.analysis.at_kelvin = {}, outside the ladder", at_kelvin),
           fmt::format("give a temperature from {} to {} K, or 0 for each of them",
                       ensemble.lowest_kelvin, ensemble.highest_kelvin));
  }
  if (settings.observables.every_steps > 0) {
    refuse("observables.every_steps", "observables of an ensemble",
           "leave them out; NAME.ensemble.h5 has what is known of all replicas");
  }
  if (settings.output.dcd) {
    refuse("output.dcd", "output.dcd in an ensemble",
           "leave it out; nfold export makes a DCD of what ensemble.trajectory_replicas keeps");
  }
}

/// Checks options that the model's form of the short-range potential does not support.
void check_pair_form(const ForceFieldSettings& field, Checker& checker) {
  const auto& condensate = field.condensate;
  const std::string_view model = model_entry(field.model).name;
  pair_forms::with_form(builtin_table(field.model).form, [&](auto form) {
    const bool has_cutoff = condensate.short_range_cutoff_nm > 0;
    if (form.has_own_cutoff && (has_cutoff || condensate.short_range_cutoff_over_sigma > 0)) {
      checker.complain(has_cutoff ? "force_field.short_range_cutoff_nm"
                                  : "force_field.short_range_cutoff_over_sigma",
                       fmt::format("a cutoff of the short-range potential for {}", model),
                       "its pairs end at three times their sigma by definition: leave it out");
    }
    if (!form.supports_domains && condensate.domains == FoldedDomains::go) {
      checker.complain("force_field.domains", fmt::format("force_field.domains = go for {}", model),
                       "its pairs have no repulsion of their own inside a domain: take "
                       "elastic-network, or a model with Ashbaugh-Hatch pairs");
    }
  });
}

/// Checks one bias. `prefix` of its keys in errors: "bias." or "bias.more[0].".
void check_one_bias(const BiasSettings& bias, const std::string& prefix, Checker& checker) {
  // A resolved input has every key, so keys that are not read must have their defaults.
  const BiasSettings usual;
  const auto refuse_if = [&](bool is_changed, const std::string& key) {
    if (!is_changed) return;
    if (bias.residues.empty()) {
      checker.complain(prefix + key, fmt::format("{0}{1}, but no {0}residues", prefix, key),
                       "give the residues, or leave the bias out");
    } else {
      checker.complain(prefix + key,
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

void check_biases(const Settings& settings, Checker& checker) {
  check_one_bias(settings.bias, "bias.", checker);
  for (std::size_t k = 0; k < settings.more_biases.size(); ++k) {
    const auto& bias = settings.more_biases[k];
    const std::string prefix = fmt::format("bias.more[{}].", k);
    check_one_bias(bias, prefix, checker);
    for (const auto& [key, residues] : {std::pair(std::string("bias."), &settings.bias.residues),
                                        std::pair(prefix, &bias.residues)}) {
      if (!residues->empty()) continue;
      checker.complain(key + "residues", "one of several biases has no residues",
                       "give its residues, or leave it out");
    }
  }
  if (!settings.bias.residues.empty() && settings.ensemble.is_enabled()) {
    checker.complain("bias.residues", "a bias beside an ensemble",
                     "take umbrellas (ensemble.umbrella_centres_nm), which its free energies "
                     "account for");
  }
}

void check_partition(const PartitionSettings& partition, Checker& checker) {
  const bool reads_domains = partition.method == PartitionMethod::domains ||
                             partition.method == PartitionMethod::automatic;
  if (partition.domains.empty() || reads_domains) return;
  checker.complain("partition.domains", "partition.domains beside a method that does not read it",
                   "take partition.method = domains, or leave them out");
}

void check_force_field(const ForceFieldSettings& field, Checker& checker) {
  const auto& condensate = field.condensate;
  if (field.model != ForceFieldModel::go) check_pair_form(field, checker);
  if (field.model == ForceFieldModel::go && condensate.domains != FoldedDomains::none) {
    checker.complain("force_field.domains", "force_field.domains for the go model",
                     "that model holds the whole structure: leave it out, or choose a condensate "
                     "model");
  }
  if (field.model == ForceFieldModel::go && condensate.flexible_angles) {
    checker.complain("force_field.flexible_angles", "flexible angles in the go model",
                     "its angles are those of the structure: leave it out, or choose a condensate "
                     "model, with force_field.domains = go for what is folded");
  }
}

}  // namespace

std::vector<document::InputProblem> complete_and_check(Settings& settings, const GivenKeys& given,
                                                       const std::string& file) {
  Checker checker(given, file);
  complete_and_check_system(settings, checker);
  complete_force_field(settings, given);
  complete_dynamics(settings, given);
  complete_and_check_start(settings, given, checker);
  check_force_field(settings.force_field, checker);
  check_dynamics(settings, checker);
  complete_ensemble(settings, given, checker);
  check_ensemble(settings, checker);
  check_biases(settings, checker);
  check_partition(settings.partition, checker);
  if (settings.output.dcd && settings.output.trajectory_every_steps == 0) {
    checker.complain("output.dcd", "output.dcd = true, but output.trajectory_every_steps = 0",
                     "give an interval, or leave the DCD out");
  }
  return std::move(checker.problems);
}

}  // namespace nfold::input
