// Type tables, and parameters of Debye-Hueckel electrostatics.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/potentials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nfold::topology {
namespace {

std::size_t type_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

pair_forms::ModelNumbers numbers_of(const ResidueModel& model) {
  const auto& [table, options, temperature_kelvin, go, confidence_go] = model;
  pair_forms::ModelNumbers numbers;
  for (const input::ResidueParameters& residue : table.residues) {
    numbers.type_names.push_back(residue.name);
    numbers.type_sigma_nm.push_back(residue.sigma_nm);
    numbers.type_numbers.push_back(residue.form_numbers);
  }
  for (const input::PairParameters& pair : table.pairs) {
    numbers.pairs.push_back({type_of(numbers.type_names, pair.first),
                             type_of(numbers.type_names, pair.second), pair.numbers});
  }
  numbers.epsilon_kj_mol = table.epsilon_kj_mol;
  numbers.lambda_offset = table.lambda_offset;
  numbers.constants = table.form_constants;
  numbers.cutoff_nm = options.short_range_cutoff_nm;
  numbers.cutoff_over_sigma = options.short_range_cutoff_over_sigma;
  numbers.shifted = options.short_range_shifted == input::ModelFlag::yes;
  numbers.domains_only_repel = options.domains == input::FoldedDomains::go;
  return numbers;
}

}  // namespace

ShortRange make_short_range(const ResidueModel& model) {
  return pair_forms::with_form(model.table.form, [&](auto form) -> ShortRange {
    if constexpr (form.table_name.empty()) {
      throw std::logic_error("a table in a form that no table has");
    } else {
      auto potential = form.build(numbers_of(model));
      potential.form = model.table.form;
      return potential;
    }
  });
}

Electrostatics make_electrostatics(const ResidueModel& model) {
  const double temperature = model.temperature_kelvin;
  if (temperature <= 0 && model.options.dielectric_constant == 0) {
    throw structure::StructureError(fmt::format(
        "dynamics.temperature_kelvin = {}: the dielectric constant of water has no value there; "
        "give a temperature > 0, or force_field.dielectric_constant",
        temperature));
  }
  const double dielectric = input::dielectric_constant(model.options, model.table, temperature);
  if (!(dielectric >= 1)) {
    throw structure::StructureError(fmt::format(
        "dynamics.temperature_kelvin = {}: the dielectric constant of water would be {:.3g}; the "
        "formula holds from 273 to 373 K: give force_field.dielectric_constant",
        temperature, dielectric));
  }
  Electrostatics potential;
  potential.coulomb_kj_mol_nm = model.table.coulomb_kj_mol_nm / dielectric;
  potential.kappa_per_nm =
      input::inverse_debye_length_per_nm(model.options, model.table, temperature);
  potential.cutoff_nm = model.options.electrostatic_cutoff_nm;
  potential.shifted = model.options.electrostatic_shifted == input::ModelFlag::yes;
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
  lines.push_back(fmt::format("pairs: {}, {}, {}",
                              pair_forms::with_form(pairs.form, [](auto one) { return one.title; }),
                              cutoff, pairs.shifted ? "shifted" : "not shifted"));
  std::string length = charges.kappa_per_nm > 0
                           ? fmt::format("Debye length {:.4g} nm", 1 / charges.kappa_per_nm)
                           : std::string("no screening");
  if (options.inverse_debye_length_per_nm == 0) {
    length += fmt::format(" ({:g} mol/l of salt, {:g} K)", options.ionic_strength_molar,
                          model.temperature_kelvin);
  }
  lines.push_back(
      fmt::format("charges: dielectric constant {:.4g}, {}, up to {:g} nm, {}",
                  input::dielectric_constant(options, model.table, model.temperature_kelvin),
                  length, charges.cutoff_nm, charges.shifted ? "shifted" : "not shifted"));
  if (model.table.histidine_pka > 0) {
    lines.push_back(fmt::format("histidine: {:+.4f} e at pH {:g}",
                                histidine_charge(options.ph, model.table.histidine_pka),
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
  }
  return lines;
}

}  // namespace nfold::topology
