// Kinds of terms in a topology, listed by decomposing it member by member.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/term_kinds.hpp"

#include <algorithm>

namespace nfold::topology {
namespace {

// A structured binding must name every member, so a new member does not compile here. Give it a
// kind here, or state below why it does not act by itself.

void add_residue_numbers(const Repeated<Residue>& residues) {
  // Masses enter kicks and noise, charges and types the pair potentials, domains the kind below;
  // real masses serve concentrations, places in a structure given coordinates.
  [[maybe_unused]] const auto& [name, number, insertion_code, chain, segment, mass_amu, charge_e,
                                type, domain, real_mass_amu, site, at_centre_of_mass] =
      residues.empty() ? Residue{} : residues.front();
}

void add_box(const system::Box& box, std::vector<TermKind>& kinds) {
  const auto& [length_nm] = box;
  const auto periodic =
      std::count_if(length_nm.begin(), length_nm.end(), [](double length) { return length > 0; });
  kinds.push_back({std::string(term_names::periodic_box), periodic > 0 ? 1 : 0});
}

void add_short_range(const ShortRange& short_range, std::vector<TermKind>& kinds) {
  [[maybe_unused]] const auto& [form, epsilon_kj_mol, sigma_nm, cutoff_nm, cutoff_over_sigma,
                                shifted, only_repel, type_sigma_nm, type_lambda, pairs, type_names,
                                tabulated, site_factors] = short_range;
  const auto add = [&](std::string_view name, bool is_there) {
    kinds.push_back({std::string(name), is_there ? 1 : 0});
  };
  add(pair_forms::with_form(form, [](auto one) { return one.name; }), true);
  add(term_names::shifted_short_range, shifted);
  add(term_names::cutoffs_by_sigma, cutoff_over_sigma > 0);
  add(term_names::domains_only_repel, only_repel);
  add(term_names::site_factors, !site_factors.empty());
}

void add_charges(const Electrostatics& electrostatics, std::vector<TermKind>& kinds) {
  [[maybe_unused]] const auto& [coulomb_kj_mol_nm, kappa_per_nm, cutoff_nm, shifted, tabulated,
                                multiplies_charges] = electrostatics;
  const bool act = electrostatics.acts();
  kinds.push_back({std::string(term_names::charges), act ? 1 : 0});
  kinds.push_back({std::string(term_names::shifted_charges), act && shifted ? 1 : 0});
  kinds.push_back({std::string(term_names::tabulated_charges), tabulated != nullptr ? 1 : 0});
}

}  // namespace

std::vector<TermKind> term_kinds(const Topology& topology) {
  [[maybe_unused]] const auto& [residues, chains, species, box, short_range, electrostatics, biases,
                                biased_variables, fields, exclusions, charged_exclusions, native_nm,
                                notes] = static_cast<const TopologyParts&>(topology);
  std::vector<TermKind> kinds;
  const auto add = [&](std::string_view name, const auto& terms) {
    kinds.push_back({std::string(name), static_cast<std::int64_t>(terms.size())});
  };
  // Chains and species name residues; each bias holds its variable; native coordinates and notes
  // serve analysis.
  add_residue_numbers(residues);
  add_box(box, kinds);
  add_short_range(short_range, kinds);
  add_charges(electrostatics, kinds);
  BondedKinds::for_each([&](auto kind) { add(kind.plural, terms_of(topology, kind)); });
  add(term_names::biases, biases);
  add(term_names::fields, fields);
  add(term_names::exclusions, exclusions);
  add(term_names::charged_exclusions, charged_exclusions);
  return kinds;
}

std::string presence(const TermKind& kind) {
  const bool is_singular = kind.name.starts_with("a ") || kind.name.starts_with("an ");
  return (is_singular ? "there is " : "there are ") + kind.name;
}

}  // namespace nfold::topology
