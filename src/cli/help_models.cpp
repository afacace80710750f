// Table of the force fields built into nfold, for nfold help.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/help_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text_table.hpp"
#include "input/force_field.hpp"

namespace nfold::cli {
namespace {

/// Returns "contact 2 nm, charges 4 nm": range of each term at the default conditions.
std::string describe_cutoffs(const input::ForceField& field) {
  std::vector<std::string> cutoffs;
  for (const input::PairTerm& term : field.pair_terms) {
    double farthest_nm = 0;
    for (const auto& function : term.functions) {
      if (function) farthest_nm = std::max(farthest_nm, function->cutoff_nm);
    }
    cutoffs.push_back(fmt::format("{} {}{:.4g} nm", term.name,
                                  term.cutoff_over_sigma > 0
                                      ? fmt::format("{:g} sigma, at most ", term.cutoff_over_sigma)
                                      : "",
                                  farthest_nm));
  }
  if (field.charges.acts) {
    cutoffs.push_back(fmt::format("charges {:g} nm", field.charges.cutoff_nm));
  }
  return fmt::format("{}", fmt::join(cutoffs, ", "));
}

void add_model(std::string_view name, core::TextTable& table) {
  const auto field = input::evaluate(*input::builtin_force_field(name), {});
  const auto& facts = field.facts;
  table.add({std::string(name), fmt::format("{}: {}", facts.name, facts.article)});
  table.add({"  fitted for", facts.fitted_for});
  table.add({"  temperature", facts.temperature});
  table.add({"  salt", facts.salt});
  table.add({"  cutoffs", describe_cutoffs(field)});
  table.add({"  mixtures", facts.mixtures});
  table.add({"  cannot do", facts.cannot});
}

}  // namespace

std::string describe_models() {
  core::TextTable table;
  table.add({"force_field.model", "who made it"});
  for (const auto name : input::builtin_force_field_names()) add_model(name, table);
  return table.text() + "More: nfold help MODELS.md; nfold prepare --model NAME\n";
}

std::string describe_model(std::string_view name) {
  if (std::ranges::count(input::builtin_force_field_names(), name) == 0) return "";
  core::TextTable table;
  add_model(name, table);
  return table.text();
}

}  // namespace nfold::cli
