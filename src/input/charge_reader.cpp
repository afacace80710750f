// Keys of a Debye-Hueckel term, its dielectric constant and its Debye length.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/charge_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>

#include "input/radial_functions.hpp"

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;
using pair_forms::PairFunction;

namespace {

constexpr double ions_per_nm3 = 0.602214076;  // at 1 mol/l, N_A 1e-24
constexpr double longest_debye_length_nm = 1e6;

void complete_option(double& option, double from_file) {
  if (option == 0) option = from_file;
}

}  // namespace

void read_charges(Numbers& numbers, ChargeDraft& draft, const std::string& name,
                  const std::string& path, const InputNode& node) {
  SectionKeys section(numbers, node, path);
  if (node.kind != NodeKind::map) return;
  if (draft.node != nullptr && draft.name != name) {
    section.complain(node, "a second term of the form debye-hueckel", "keep one");
    return;
  }
  draft.node = &node;
  draft.name = name;
  draft.path = path;
  constexpr std::string_view forms[] = {debye_hueckel_form};
  (void)section.choice("form", forms, 0);
  draft.coulomb_kj_mol_nm =
      section.number("coulomb_kj_mol_nm", above(0, 1000), draft.coulomb_kj_mol_nm);
  draft.gas_constant_kj_mol_kelvin =
      section.number("gas_constant_kj_mol_kelvin", above(0, 1), draft.gas_constant_kj_mol_kelvin);
  draft.inverse_debye_length_per_nm = section.number("inverse_debye_length_per_nm", from(0, 100),
                                                     draft.inverse_debye_length_per_nm);
  const bool has_one = draft.dielectric_constant > 0 || !draft.dielectric_polynomial.empty();
  const auto* const dielectric =
      has_one ? section.find("dielectric")
              : section.require("dielectric", "a number, or an expression such as akerlof_oshry");
  if (dielectric != nullptr) {
    draft.dielectric_constant = 0;
    draft.dielectric_polynomial.clear();
    draft.dielectric = dielectric;
  }
  read_cutoff(numbers, section, draft.cutoff, false);
  section.finish();
}

ChargeTerm ChargeEvaluation::run() {
  term_.acts = true;
  term_.coulomb_kj_mol_nm = draft_.coulomb_kj_mol_nm;
  complete_option(options_.electrostatic_cutoff_nm, draft_.cutoff.cutoff_nm);
  term_.cutoff_nm = draft_.cutoff.cutoff_nm = options_.electrostatic_cutoff_nm;
  apply_shift(options_.electrostatic_shifted, draft_.cutoff);
  term_.shifted = draft_.cutoff.form == CutoffForm::shifted;

  const Dependence before = numbers_.dependence();
  const Expression* const of_distance = set_dielectric_constant();
  complete_option(options_.inverse_debye_length_per_nm, draft_.inverse_debye_length_per_nm);
  term_.is_screened_by_salt = options_.inverse_debye_length_per_nm == 0;
  if (of_distance != nullptr) {
    set_dielectric_function(*of_distance);
    return std::move(term_);
  }
  term_.inverse_debye_length_per_nm = term_.is_screened_by_salt
                                          ? std::sqrt(salt_per_nm2(term_.dielectric_constant))
                                          : options_.inverse_debye_length_per_nm;
  numbers_.set_dependence(before);
  if (draft_.cutoff.form != CutoffForm::truncated && !term_.shifted) {
    PairFunction unit;
    unit.kind = FunctionKind::yukawa;
    const double kappa = term_.inverse_debye_length_per_nm;
    unit.numbers = {term_.coulomb_kj_mol_nm / term_.dielectric_constant,
                    kappa > 1 / longest_debye_length_nm ? 1 / kappa : longest_debye_length_nm};
    set_unit(std::move(unit));
  }
  return std::move(term_);
}

/// Returns the expression of a dielectric constant that depends on r; null for another.
const Expression* ChargeEvaluation::set_dielectric_constant() {
  if (draft_.dielectric == nullptr || options_.dielectric_constant > 0) {
    complete_option(options_.dielectric_constant, draft_.dielectric_constant);
    term_.dielectric_constant = options_.dielectric_constant;
    if (term_.dielectric_constant == 0 && !draft_.dielectric_polynomial.empty()) {
      term_.dielectric_constant = dielectric_polynomial(draft_.dielectric_polynomial,
                                                        numbers_.conditions().temperature_kelvin);
    }
    return nullptr;
  }
  const std::string path = draft_.path + ".dielectric";
  const auto* const expression = numbers_.expression(*draft_.dielectric, path);
  if (expression == nullptr || expression->has_name("r")) return expression;
  term_.dielectric_constant = numbers_.number(*draft_.dielectric, path, above(0, 1000)).value_or(1);
  if (expression->names().empty()) options_.dielectric_constant = term_.dielectric_constant;
  return nullptr;
}

/// Returns kappa^2 = 8 pi l_B N_A I with the Bjerrum length l_B = ke/(eps_r R T).
double ChargeEvaluation::salt_per_nm2(double dielectric) const {
  const auto& conditions = numbers_.conditions();
  const double bjerrum_nm =
      draft_.coulomb_kj_mol_nm /
      (dielectric * draft_.gas_constant_kj_mol_kelvin * conditions.temperature_kelvin);
  return 8 * std::numbers::pi * bjerrum_nm * conditions.ionic_strength_molar * ions_per_nm3;
}

void ChargeEvaluation::set_unit(PairFunction unit) {
  unit.cutoff_nm = draft_.cutoff.cutoff_nm;
  unit.cutoff_form = draft_.cutoff.form;
  unit.switch_nm = draft_.cutoff.switch_nm;
  term_.unit = std::move(unit);
}

void ChargeEvaluation::set_dielectric_function(const Expression& dielectric) {
  const auto& node = *draft_.dielectric;
  const std::string path = draft_.path + ".dielectric";
  std::vector<double> values;
  for (const auto& name : dielectric.names()) {
    const auto value = name == "r" ? 0 : numbers_.named(name, node, path, nullptr);
    if (!value) return;
    values.push_back(*value);
  }
  DielectricFunction::Screening screening;
  if (term_.is_screened_by_salt) {
    screening.salt_per_nm2 = salt_per_nm2(1);
    numbers_.set_dependence({true, true, numbers_.dependence().ph});
  } else {
    screening.kappa_per_nm = options_.inverse_debye_length_per_nm;
  }
  const auto custom = std::make_shared<DielectricFunction>(dielectric, std::move(values),
                                                           draft_.coulomb_kj_mol_nm, screening);
  const auto is_valid = [&custom](double r) {
    return std::isfinite(custom->energy(r)) && custom->dielectric(r) > 0;
  };
  if (const auto r = find_in_range(draft_.cutoff.cutoff_nm, std::not_fn(is_valid))) {
    numbers_.reader().complain(
        node, fmt::format("{} is {} at r = {:.4g} nm", path, custom->dielectric(*r), *r),
        fmt::format("it must be positive from {} nm to the cutoff", shortest_checked_nm));
    return;
  }
  PairFunction unit;
  unit.kind = FunctionKind::expression;
  unit.custom = custom;
  set_unit(std::move(unit));
}

}  // namespace nfold::input
