// Debye-Hueckel term of a force-field file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/cutoff_reader.hpp"

namespace nfold::input {

inline constexpr double codata_coulomb_kj_mol_nm = 138.935457644382;
inline constexpr double codata_gas_constant_kj_mol_kelvin = 8.31446261815324e-3;
inline constexpr std::string_view debye_hueckel_form = "debye-hueckel";

/// A Debye-Hueckel term as a file describes it.
struct ChargeDraft {
  const document::InputNode* node = nullptr;  ///< null: there is none
  std::string name, path;
  double coulomb_kj_mol_nm = codata_coulomb_kj_mol_nm;
  double gas_constant_kj_mol_kelvin = codata_gas_constant_kj_mol_kelvin;
  double dielectric_constant = 0;                   ///< > 0: fixed
  std::vector<double> dielectric_polynomial;        ///< coefficients by temperature
  const document::InputNode* dielectric = nullptr;  ///< an expression
  double inverse_debye_length_per_nm = 0;           ///< 0: from the ionic strength
  Cutoff cutoff;
};

/// Reads the keys of a term over those of `draft`.
void read_charges(Numbers& numbers, ChargeDraft& draft, const std::string& name,
                  const std::string& path, const document::InputNode& node);

/// Evaluates a term with the options of an input, which it completes.
class ChargeEvaluation {
 public:
  ChargeEvaluation(Numbers& numbers, ChargeDraft draft, CondensateSettings& options)
      : numbers_(numbers), draft_(std::move(draft)), options_(options) {}
  ChargeTerm run();

 private:
  const Expression* set_dielectric_constant();
  [[nodiscard]] double salt_per_nm2(double dielectric) const;
  void set_dielectric_function(const Expression& dielectric);
  void set_unit(pair_forms::PairFunction unit);

  Numbers& numbers_;
  ChargeDraft draft_;
  CondensateSettings& options_;
  ChargeTerm term_;
};

}  // namespace nfold::input
