// The table of a condensate model's parameters: constants, residues and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "pair_forms/pair_forms.hpp"

namespace nfold::config {

/// Where the beads of a structure stand: the C-alpha atom, or the centre of mass of the residue,
/// in folded domains only or everywhere.
enum class TableBead { calpha, centre_of_mass_in_domains, centre_of_mass };

struct ResidueParameters {
  std::string name;  ///< "ALA"
  double mass_amu = 0, charge_e = 0;
  double sigma_nm = 0, lambda = 0;  ///< where the form reads them
};

struct PairParameters {
  std::string first, second;
  std::vector<double> numbers;  ///< as the form's pair_row says
};

/// One model; input/force_fields says what each number is. Valid once a function below returned it.
struct ResidueTable {
  pair_forms::ShortRangeForm form = pair_forms::ShortRangeForm::ashbaugh_hatch;
  std::vector<double> form_constants;  ///< that only this form reads, in its order
  bool charged_ends = false;
  double first_residue_mass_amu = 0, last_residue_mass_amu = 0;  ///< added where the end is charged
  double histidine_pka = 0;  ///< > 0: HIS carries 1/(1 + 10^(pH - pKa)); 0: what `residues` say
  TableBead bead = TableBead::calpha;
  double epsilon_kj_mol = 0, lambda_offset = 0;
  double short_range_cutoff_nm = 0;
  bool short_range_shifted = false;
  double coulomb_kj_mol_nm = 0;                             ///< e^2 N_A / (4 pi eps0)
  double gas_constant_kj_mol_kelvin = 8.31446261815324e-3;  ///< for the Debye length
  double dielectric_constant = 0;                           ///< 0: by dielectric_of_temperature
  std::vector<double> dielectric_of_temperature;            ///< a/T + b + c T + d T^2 + e T^3
  double inverse_debye_length_per_nm = 0;                   ///< 0: from the ionic strength
  double electrostatic_cutoff_nm = 0;
  bool electrostatic_shifted = false;
  double bond_k_kj_mol_nm2 = 0, bond_length_nm = 0;
  double restraint_k_kj_mol_nm2 = 0, restraint_cutoff_nm = 0;
  std::vector<ResidueParameters> residues;
  std::vector<PairParameters> pairs;  ///< where the form has some: each pair of residues once
};

/// A table from YAML; `file` names it in errors. Any bytes are safe. InputError.
[[nodiscard]] ResidueTable parse_residue_table(std::string_view text, const std::string& file);

/// The text of input/force_fields/MODEL.yaml as it was when the program was built; for a model
/// other than go.
[[nodiscard]] std::string_view builtin_table_text(ForceFieldModel model);
[[nodiscard]] const ResidueTable& builtin_table(ForceFieldModel model);

/// `settings` with every 0 and by_model replaced by what the table says. What the table leaves to
/// a rule (the dielectric constant of the temperature, the Debye length of the salt) stays 0.
[[nodiscard]] CondensateSettings with_table_values(CondensateSettings settings,
                                                   const ResidueTable& table);

/// Akerlof and Oshry's permittivity of water, as the table has it, or the constant that `settings`
/// or the table fix.
[[nodiscard]] double dielectric_constant(const CondensateSettings& settings,
                                         const ResidueTable& table, double temperature_kelvin);
/// kappa [1/nm] of Debye and Hueckel: fixed by `settings` or the table, else
/// sqrt(8 pi l_B N_A I) with the Bjerrum length l_B = ke/(eps_r R T).
[[nodiscard]] double inverse_debye_length_per_nm(const CondensateSettings& settings,
                                                 const ResidueTable& table,
                                                 double temperature_kelvin);

}  // namespace nfold::config
