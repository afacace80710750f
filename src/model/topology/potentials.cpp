// Type tables, and parameters of Debye-Hueckel electrostatics.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/potentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nfold::topology {
namespace {

pair_forms::ModelNumbers numbers_of(const ResidueModel& model, const input::PairTerm& term) {
  pair_forms::ModelNumbers numbers;
  for (const input::BeadType& bead : model.force_field.beads) {
    numbers.type_names.push_back(bead.name);
  }
  if (term.means) {
    numbers.epsilon_kj_mol = term.means->epsilon_kj_mol;
    numbers.type_sigma_nm = term.means->sigma_nm;
    numbers.type_lambda = term.means->lambda;
  }
  for (const auto& function : term.functions) {
    if (!function) {
      numbers.pairs.emplace_back();
      continue;
    }
    const auto& [epsilon, sigma, shape, unused] = function->numbers;
    numbers.pairs.push_back({function->factor * epsilon, sigma, shape});
  }
  numbers.cutoff_nm = term.cutoff_nm;
  numbers.cutoff_over_sigma = term.cutoff_over_sigma;
  numbers.shifted = term.cutoff_form == pair_forms::CutoffForm::shifted;
  numbers.domains_only_repel = model.options.domains == input::FoldedDomains::go;
  return numbers;
}

template <class Form>
ShortRange built(ShortRangeForm form, const pair_forms::ModelNumbers& numbers) {
  ShortRange potential = Form::build(numbers);
  potential.form = form;
  return potential;
}

/// Returns the only term if a kernel of its own computes it: between all types, and truncated or
/// shifted; else null.
const input::PairTerm* native_term(const input::ForceField& field) {
  if (field.pair_terms.size() != 1) return nullptr;
  const input::PairTerm& term = field.pair_terms.front();
  const bool is_plain =
      !term.has_site_factor &&
      (term.cutoff_form == pair_forms::CutoffForm::truncated ||
       term.cutoff_form == pair_forms::CutoffForm::shifted) &&
      std::ranges::all_of(term.functions, [](const auto& one) { return one.has_value(); });
  if (!is_plain) return nullptr;
  if (term.kind == pair_forms::FunctionKind::ashbaugh_hatch) return &term;
  const auto has_kernel = [](const auto& one) {
    return one->numbers[0] >= 0 && pair_forms::WangFrenkel::accepts_pair(
                                       {one->numbers[0], one->numbers[1], one->numbers[2]});
  };
  const bool is_wang_frenkel = term.kind == pair_forms::FunctionKind::wang_frenkel &&
                               term.cutoff_over_sigma == 3 && term.cutoff_nm == 0;
  return is_wang_frenkel && std::ranges::all_of(term.functions, has_kernel) ? &term : nullptr;
}

}  // namespace

std::shared_ptr<const TabulatedTerms> make_tables(const input::ForceField& field) {
  const bool is_native =
      native_term(field) != nullptr && !(field.charges.acts && field.charges.unit);
  return is_native ? nullptr : std::make_shared<const TabulatedTerms>(tabulate_terms(field));
}

ShortRange make_short_range(const ResidueModel& model) {
  if (model.tables != nullptr) return tabulated_short_range(*model.tables);
  const auto* const term = native_term(model.force_field);
  if (term == nullptr) throw std::logic_error("a force field that was not evaluated");
  const auto numbers = numbers_of(model, *term);
  if (term->kind == pair_forms::FunctionKind::wang_frenkel) {
    return built<pair_forms::WangFrenkel>(ShortRangeForm::wang_frenkel, numbers);
  }
  return term->means ? built<pair_forms::AshbaughHatch>(ShortRangeForm::ashbaugh_hatch, numbers)
                     : built<pair_forms::KimHummer>(ShortRangeForm::kim_hummer, numbers);
}

Electrostatics make_electrostatics(const ResidueModel& model) {
  const double temperature = model.temperature_kelvin;
  if (model.tables != nullptr && model.tables->charges != nullptr) {
    return tabulated_charges(*model.tables);
  }
  if (!model.force_field.charges.acts) return {};
  if (temperature <= 0 && model.options.dielectric_constant == 0) {
    throw structure::StructureError(fmt::format(
        "dynamics.temperature_kelvin = {}: the dielectric constant of water has no value there; "
        "give a temperature > 0, or force_field.dielectric_constant",
        temperature));
  }
  const auto& charges = model.force_field.charges;
  const double dielectric = charges.dielectric_constant;
  if (!(dielectric >= 1)) {
    throw structure::StructureError(fmt::format(
        "dynamics.temperature_kelvin = {}: the dielectric constant of water would be {:.3g}; the "
        "formula holds from 273 to 373 K: give force_field.dielectric_constant",
        temperature, dielectric));
  }
  Electrostatics potential;
  potential.coulomb_kj_mol_nm = charges.coulomb_kj_mol_nm / dielectric;
  potential.kappa_per_nm = charges.inverse_debye_length_per_nm;
  potential.cutoff_nm = charges.cutoff_nm;
  potential.shifted = charges.shifted;
  return potential;
}

std::string_view describe_ends(input::ChargedEnds ends) {
  switch (ends) {
    case input::ChargedEnds::first:
      return "first end charged";
    case input::ChargedEnds::last:
      return "last end charged";
    case input::ChargedEnds::both:
      return "both ends charged";
    case input::ChargedEnds::by_model:
    case input::ChargedEnds::none:
      break;
  }
  return "ends not charged";
}

std::vector<std::string> describe_potentials(const ResidueModel& model) {
  const auto pairs = make_short_range(model);
  const auto charges = make_electrostatics(model);
  const auto& options = model.options;
  std::vector<std::string> lines;
  std::string cutoff = fmt::format("up to {:.4g} nm", pairs.cutoff_nm);
  if (pairs.cutoff_over_sigma > 0) {
    cutoff = fmt::format("up to {:g} sigma (at most {:.4g} nm)", pairs.cutoff_over_sigma,
                         pairs.cutoff_nm);
  }
  if (model.tables != nullptr) {
    lines.push_back(describe_tables(model.force_field, *model.tables));
  } else {
    lines.push_back(fmt::format(
        "pairs: {}, {}, {}", pair_forms::with_form(pairs.form, [](auto one) { return one.title; }),
        cutoff, pairs.shifted ? "shifted" : "not shifted"));
  }
  const auto& field = model.force_field;
  std::string length = charges.kappa_per_nm > 0
                           ? fmt::format("Debye length {:.4g} nm", 1 / charges.kappa_per_nm)
                           : std::string("no screening");
  if (options.inverse_debye_length_per_nm == 0) {
    length += fmt::format(" ({:g} mol/l of salt, {:g} K)", options.ionic_strength_molar,
                          model.temperature_kelvin);
  }
  if (field.charges.acts && charges.tabulated == nullptr) {
    lines.push_back(fmt::format("charges: dielectric constant {:.4g}, {}, up to {:g} nm, {}",
                                field.charges.dielectric_constant, length, charges.cutoff_nm,
                                charges.shifted ? "shifted" : "not shifted"));
  }
  if (const int histidine = field.find_bead("HIS"); field.uses_ph && histidine >= 0) {
    lines.push_back(fmt::format("histidine: {:+.4f} e at pH {:g}",
                                field.beads[static_cast<std::size_t>(histidine)].charge_e,
                                options.ph));
  }
  lines.push_back(fmt::format("bonds: k = {:g} kJ/mol/nm^2, {:g} nm; {}", options.bond_k_kj_mol_nm2,
                              options.bond_length_nm, describe_ends(options.charged_ends)));
  switch (options.domains) {
    case input::FoldedDomains::none:
      break;
    case input::FoldedDomains::elastic_network:
      lines.push_back(fmt::format("folded domains: springs of {:g} kJ/mol/nm^2 up to {:g} nm",
                                  options.restraint_k_kj_mol_nm2, options.restraint_cutoff_nm));
      break;
    case input::FoldedDomains::go:
      lines.push_back(
          fmt::format("folded domains: go terms, epsilon {:g} kJ/mol", model.go.epsilon_kj_mol));
      break;
    case input::FoldedDomains::confidence_go:
      lines.push_back(fmt::format(
          "structure: 12-10 contacts of up to {:g} kJ/mol by pLDDT and PAE, up to {:g} nm",
          model.confidence_go.epsilon_kj_mol, model.confidence_go.cutoff_nm));
      break;
    case input::FoldedDomains::aicg2p:
      lines.emplace_back("folded domains: contacts, wells and flexible terms of AICG2+");
      break;
  }
  return lines;
}

}  // namespace nfold::topology
