// Settings completed from a parameter table, and rules for values that the table leaves open.
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <cmath>
#include <numbers>

#include "input/residue_table.hpp"

namespace nfold::input {

namespace {

void complete(double& value, double from_table) {
  if (value == 0) value = from_table;
}

void complete(ChargedEnds& ends, bool from_table) {
  if (ends == ChargedEnds::by_model) ends = from_table ? ChargedEnds::both : ChargedEnds::none;
}

void complete(ModelFlag& flag, bool from_table) {
  if (flag == ModelFlag::by_model) flag = from_table ? ModelFlag::yes : ModelFlag::no;
}

}  // namespace

CondensateSettings with_table_values(CondensateSettings settings, const ResidueTable& table) {
  complete(settings.charged_ends, table.charged_ends);
  complete(settings.bond_k_kj_mol_nm2, table.bond_k_kj_mol_nm2);
  complete(settings.bond_length_nm, table.bond_length_nm);
  const bool has_own_cutoff =
      pair_forms::with_form(table.form, [](auto form) { return form.has_own_cutoff; });
  // A cutoff that depends on sigma needs no further limit.
  if (!has_own_cutoff && settings.short_range_cutoff_over_sigma == 0) {
    complete(settings.short_range_cutoff_nm, table.short_range_cutoff_nm);
  }
  complete(settings.short_range_shifted, table.short_range_shifted);
  complete(settings.electrostatic_cutoff_nm, table.electrostatic_cutoff_nm);
  complete(settings.electrostatic_shifted, table.electrostatic_shifted);
  complete(settings.dielectric_constant, table.dielectric_constant);
  complete(settings.inverse_debye_length_per_nm, table.inverse_debye_length_per_nm);
  complete(settings.restraint_k_kj_mol_nm2, table.restraint_k_kj_mol_nm2);
  complete(settings.restraint_cutoff_nm, table.restraint_cutoff_nm);
  return settings;
}

double dielectric_constant(const CondensateSettings& settings, const ResidueTable& table,
                           double temperature_kelvin) {
  if (settings.dielectric_constant > 0) return settings.dielectric_constant;
  if (table.dielectric_constant > 0) return table.dielectric_constant;
  const auto& c = table.dielectric_of_temperature;
  const double t = temperature_kelvin;
  return c.at(0) / t + c.at(1) + c.at(2) * t + c.at(3) * (t * t) + c.at(4) * (t * t * t);
}

double inverse_debye_length_per_nm(const CondensateSettings& settings, const ResidueTable& table,
                                   double temperature_kelvin) {
  if (settings.inverse_debye_length_per_nm > 0) return settings.inverse_debye_length_per_nm;
  if (table.inverse_debye_length_per_nm > 0) return table.inverse_debye_length_per_nm;
  constexpr double per_nm3 = 0.602214076;  // ions in 1 nm^3 at 1 mol/l, N_A 1e-24
  const double bjerrum_nm =
      table.coulomb_kj_mol_nm / (dielectric_constant(settings, table, temperature_kelvin) *
                                 table.gas_constant_kj_mol_kelvin * temperature_kelvin);
  return std::sqrt(8 * std::numbers::pi * bjerrum_nm * settings.ionic_strength_molar * per_nm3);
}

}  // namespace nfold::input
