// Choice of the list that a pair term belongs to, and tables of the sums.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/tabulated_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/structure/structure.hpp"

namespace nfold::topology {
namespace {

using Functions = std::vector<std::vector<pair_forms::PairFunction>>;

/// True if a Yukawa term acts between charged beads alone, so that the list of charges suffices.
bool acts_between_charges(const input::ForceField& field, const input::PairTerm& term) {
  if (term.kind != pair_forms::FunctionKind::yukawa || term.has_site_factor) return false;
  const auto types = field.beads.size();
  for (std::size_t pair = 0; pair < term.functions.size(); ++pair) {
    const auto& function = term.functions[pair];
    const bool acts = function && function->factor * function->numbers[0] != 0;
    const bool are_charged =
        field.beads[pair / types].charge_e != 0 && field.beads[pair % types].charge_e != 0;
    if (acts && !are_charged) return false;
  }
  return true;
}

/// Adds a term to the sums, without pairs on which it does not act.
void add_term(const input::PairTerm& term, Functions& sums) {
  for (std::size_t pair = 0; pair < term.functions.size(); ++pair) {
    const auto& function = term.functions[pair];
    if (function && function->factor != 0) sums[pair].push_back(*function);
  }
}

std::shared_ptr<const pair_forms::TabulatedFunctions> table_of(
    const std::string& what, Functions functions, const std::vector<std::string>& names) {
  try {
    return pair_forms::tabulate(std::move(functions), names);
  } catch (const std::runtime_error& error) {
    throw structure::StructureError(fmt::format("{}: {}", what, error.what()));
  }
}

/// Names of the terms, "contact, cation_pi".
std::string term_list(const std::vector<const input::PairTerm*>& terms) {
  std::string all;
  for (const auto* const term : terms) all += (all.empty() ? "" : ", ") + term->name;
  return all;
}

/// Terms of each list.
struct Division {
  std::vector<const input::PairTerm*> pairs, charges;
};
Division divide(const input::ForceField& field) {
  Division division;
  for (const auto& term : field.pair_terms) {
    const bool is_charge = !field.charges.acts && acts_between_charges(field, term);
    (is_charge ? division.charges : division.pairs).push_back(&term);
  }
  return division;
}

}  // namespace

TabulatedTerms tabulate_terms(const input::ForceField& field) {
  TabulatedTerms result;
  for (std::size_t type = 0; type < field.beads.size(); ++type) {
    const bool is_copy = static_cast<int>(type) >= field.bead_count();
    result.type_names.push_back(field.beads[type].name + (is_copy ? " (folded)" : ""));
  }
  const auto pairs = field.beads.size() * field.beads.size();
  const Division terms = divide(field);
  const auto has_factor = [](const input::PairTerm* term) { return term->has_site_factor; };
  if (!std::ranges::all_of(terms.pairs, has_factor) &&
      !std::ranges::none_of(terms.pairs, has_factor)) {
    throw structure::StructureError(fmt::format(
        "pair_terms: with_site_factor is true for some of {} and not for others; their sum has one "
        "factor: give all of them `with_site_factor: true`, or none",
        term_list(terms.pairs)));
  }
  Functions sums(pairs);
  for (const auto* const term : terms.pairs) add_term(*term, sums);
  result.pairs =
      table_of("pair_terms " + term_list(terms.pairs), std::move(sums), result.type_names);
  if (field.charges.acts && field.charges.unit) {
    result.multiplies_charges = true;
    result.charges = table_of("charges", {{*field.charges.unit}}, {"of unit charges"});
  } else if (!terms.charges.empty()) {
    Functions screened(pairs);
    for (const auto* const term : terms.charges) add_term(*term, screened);
    result.charges =
        table_of("pair_terms " + term_list(terms.charges), std::move(screened), result.type_names);
  }
  return result;
}

ShortRange tabulated_short_range(const TabulatedTerms& terms) {
  return pair_forms::TabulatedPairs::make(terms.pairs, terms.type_names, ShortRangeForm::tabulated);
}

Electrostatics tabulated_charges(const TabulatedTerms& terms) {
  Electrostatics potential{1, 0, terms.charges->curves.cutoff_nm, false};
  potential.tabulated = terms.charges;
  potential.multiplies_charges = terms.multiplies_charges;
  return potential;
}

std::string describe_tables(const input::ForceField& field, const TabulatedTerms& terms) {
  const Division division = divide(field);
  const auto& curves = terms.pairs->curves;
  std::string text = fmt::format("pairs: tables of {}, up to {:.4g} nm, forces within {:.1g}",
                                 term_list(division.pairs), curves.cutoff_nm, curves.force_error);
  if (terms.charges != nullptr) {
    const auto& charges = terms.charges->curves;
    text += fmt::format("; charges: tables of {}, up to {:.4g} nm, forces within {:.1g}",
                        terms.multiplies_charges ? "a dielectric constant by distance"
                                                 : term_list(division.charges),
                        charges.cutoff_nm, charges.force_error);
  }
  return text;
}

}  // namespace nfold::topology
