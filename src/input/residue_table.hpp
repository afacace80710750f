// Parameter table of a condensate model: constants, residues and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/force_field.hpp"
#include "input/settings.hpp"
#include "system/pair_forms/pair_forms.hpp"

namespace nfold::input {

struct ResidueParameters {
  std::string name;  ///< "ALA"
  double mass_amu = 0, charge_e = 0;
  double sigma_nm = 0;               ///< only if the form reads it
  std::vector<double> form_numbers;  ///< residue_numbers of the form, in its order
};

struct PairParameters {
  std::string first, second;
  std::vector<double> numbers;  ///< order of the form's pair_row
};

/// Parameters of one model; input/force_fields explains each number. Valid if returned by a
/// function below.
struct ResidueTable {
  pair_forms::ShortRangeForm form = pair_forms::ShortRangeForm::ashbaugh_hatch;
  std::vector<double> form_constants;  ///< constants of this form, in its order
  bool charged_ends = false;
  double first_residue_mass_amu = 0, last_residue_mass_amu = 0;  ///< added if the end is charged
  double histidine_pka = 0;  ///< > 0: HIS carries 1/(1 + 10^(pH - pKa)); 0: as in `residues`
  TableBead bead = TableBead::calpha;
  double epsilon_kj_mol = 0, lambda_offset = 0;
  double short_range_cutoff_nm = 0;
  bool short_range_shifted = false;
  double coulomb_kj_mol_nm = 0;                             ///< e^2 N_A / (4 pi eps0)
  double gas_constant_kj_mol_kelvin = 8.31446261815324e-3;  ///< used for the Debye length
  double dielectric_constant = 0;                           ///< 0: from dielectric_of_temperature
  std::vector<double> dielectric_of_temperature;            ///< a/T + b + c T + d T^2 + e T^3
  double inverse_debye_length_per_nm = 0;                   ///< 0: from the ionic strength
  double electrostatic_cutoff_nm = 0;
  bool electrostatic_shifted = false;
  double bond_k_kj_mol_nm2 = 0, bond_length_nm = 0;
  double restraint_k_kj_mol_nm2 = 0, restraint_cutoff_nm = 0;
  std::vector<ResidueParameters> residues;
  std::vector<PairParameters> pairs;  ///< each pair of residues once, if the form has pairs
};

/// Parses a table from YAML; `file` names it in errors. Any bytes are safe. Throws InputError.
[[nodiscard]] ResidueTable parse_residue_table(std::string_view text, const std::string& file);

/// Returns the text of input/force_fields/MODEL.yaml at build time. `model` must not be go.
[[nodiscard]] std::string_view builtin_table_text(ForceFieldModel model);
[[nodiscard]] const ResidueTable& builtin_table(ForceFieldModel model);

/// Returns `settings` with every 0 and by_model replaced by the table's value. Values that follow
/// from a rule (dielectric constant from temperature, Debye length from salt) stay 0.
[[nodiscard]] CondensateSettings with_table_values(CondensateSettings settings,
                                                   const ResidueTable& table);

/// Returns the dielectric constant fixed by `settings` or the table, else that of water by the
/// table's formula (Akerlof and Oshry).
[[nodiscard]] double dielectric_constant(const CondensateSettings& settings,
                                         const ResidueTable& table, double temperature_kelvin);
/// Returns the inverse Debye length [1/nm] fixed by `settings` or the table, else sqrt(8 pi l_B N_A
/// I) with the Bjerrum length l_B = ke/(eps_r R T).
[[nodiscard]] double inverse_debye_length_per_nm(const CondensateSettings& settings,
                                                 const ResidueTable& table,
                                                 double temperature_kelvin);

}  // namespace nfold::input
