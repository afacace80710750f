// Flat keys of a force-field file.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/short_form.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

namespace nfold::input {

using document::InputNode;
using document::NodeKind;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;

namespace {

constexpr std::string_view short_forms[] = {"ashbaugh-hatch", "wang-frenkel", "kim-hummer"};
constexpr double longest_short_range_nm = 20, longest_electrostatic_nm = 50;

class ShortFormReader {
 public:
  ShortFormReader(Numbers& numbers, SectionKeys& top, bool has_cutoff)
      : numbers_(numbers), top_(top), has_cutoff_(has_cutoff) {}

  ShortForm run() {
    const InputNode& form = *top_.find("form");
    PairTermDraft contact;
    contact.name = "contact";
    contact.path = "pair_terms.contact";
    contact.node = &form;
    const std::size_t kind = top_.choice("form", short_forms, std::size(short_forms));
    if (kind == 0) read_ashbaugh_hatch(contact);
    if (kind == 1) {
      contact.kind = FunctionKind::wang_frenkel;
      contact.rows = {"epsilon_kj_mol", "sigma_nm", "mu"};
      contact.cutoff.over_sigma = 3;
      (void)top_.number("short_range_cutoff_nm", from(0, longest_short_range_nm));
      (void)top_.flag("short_range_shifted", false);
    }
    if (kind == 2) read_kim_hummer(contact);
    if (contact.kind) {
      contact.numbers.resize(contact.number_names().size());
      for (std::size_t k = 0; k < contact.rows.size(); ++k) {
        if (const auto number = contact.find_number(contact.rows[k])) {
          contact.numbers[*number] = {true, MixRule::row, 0, nullptr, k};
        }
      }
      read_.contact = std::move(contact);
    }
    read_charge_term(form);
    read_protein();
    return std::move(read_);
  }

 private:
  void read_cutoff(PairTermDraft& contact) {
    contact.cutoff.cutoff_nm =
        top_.number("short_range_cutoff_nm", from(0, longest_short_range_nm));
    if (top_.flag("short_range_shifted", false)) contact.cutoff.form = CutoffForm::shifted;
    if (contact.cutoff.cutoff_nm > 0 || has_cutoff_) return;
    top_.complain(*contact.node, "no short_range_cutoff_nm",
                  fmt::format("{} needs it", contact.node->text));
  }

  void read_ashbaugh_hatch(PairTermDraft& contact) {
    contact.kind = FunctionKind::ashbaugh_hatch;
    const double epsilon = top_.number("epsilon_kj_mol", from(0, 1000));
    if (epsilon == 0) {
      top_.complain(*contact.node, "no epsilon_kj_mol",
                    fmt::format("{} needs it", contact.node->text));
    }
    const double offset = top_.number("lambda_offset", from(-10, 10));
    contact.numbers = {{true, MixRule::constant, epsilon},
                       {true, MixRule::mean, 0},
                       {true, MixRule::mean, offset, nullptr, 0, true}};
    read_cutoff(contact);
  }

  void read_kim_hummer(PairTermDraft& contact) {
    contact.kind = FunctionKind::ashbaugh_hatch;
    contact.rows = {"contact energy"};
    ContactEnergyRule rule;
    rule.unit_kj_mol = top_.required_number("contact_energy_unit_kj_mol", from(0, 1000));
    rule.scale = top_.required_number("contact_energy_scale", from(0, 100));
    rule.offset = top_.required_number("contact_energy_offset", from(-1000, 1000));
    rule.least_kj_mol = top_.required_number("least_epsilon_kj_mol", from(0, 1000));
    contact.contact_energy = rule;
    contact.numbers = {{true}, {true, MixRule::mean}, {true}};
    read_cutoff(contact);
  }

  void read_charge_term(const InputNode& form) {
    ChargeDraft& charges = read_.charges;
    charges.node = &form;
    charges.name = "charges";
    charges.path = "pair_terms.charges";
    charges.coulomb_kj_mol_nm = top_.required_number("coulomb_kj_mol_nm", above(0, 1000));
    charges.gas_constant_kj_mol_kelvin =
        top_.number("gas_constant_kj_mol_kelvin", above(0, 1), codata_gas_constant_kj_mol_kelvin);
    charges.dielectric_constant = top_.number("dielectric_constant", from(0, 1000));
    const auto coefficients = top_.entries("dielectric_of_temperature", NodeKind::list);
    for (const auto* const node : coefficients) {
      const auto value = numbers_.number(*node, "dielectric_of_temperature", from(-1e9, 1e9));
      charges.dielectric_polynomial.push_back(value.value_or(0));
    }
    if (const std::size_t n = coefficients.size(); n != 0 && n != std::size(akerlof_oshry)) {
      top_.complain(
          *document::find_entry(top_.node(), "dielectric_of_temperature"),
          fmt::format("dielectric_of_temperature: found {} numbers", n),
          fmt::format("must be {}: a/T + b + c T + d T^2 + e T^3", std::size(akerlof_oshry)));
      charges.dielectric_polynomial.clear();
    } else if (charges.dielectric_constant == 0 && n == 0) {
      top_.complain(form, "neither dielectric_constant nor dielectric_of_temperature", "give one");
    }
    charges.inverse_debye_length_per_nm = top_.number("inverse_debye_length_per_nm", from(0, 100));
    charges.cutoff.cutoff_nm =
        top_.required_number("electrostatic_cutoff_nm", above(0, longest_electrostatic_nm));
    if (top_.flag("electrostatic_shifted", false)) charges.cutoff.form = CutoffForm::shifted;
    read_.histidine_pka = top_.number("histidine_pka", from(0, 14));
  }

  void read_protein() {
    ChainKind& kind = read_.protein;
    kind.name = "protein";
    kind.roles = {"bead"};
    ChainTerm bond{{0, 0}, {0, 1}};
    bond.k = top_.required_number("bond_k_kj_mol_nm2", above(0, 1e7));
    bond.length_nm = top_.required_number("bond_length_nm", above(0, 2));
    kind.bonds.push_back(bond);
    kind.has_charged_ends = top_.flag("charged_ends", false);
    kind.first_mass_amu = top_.number("first_residue_mass_amu", from(0, 1000));
    kind.last_mass_amu = top_.number("last_residue_mass_amu", from(0, 1000));
    read_.network.k_kj_mol_nm2 = top_.required_number("restraint_k_kj_mol_nm2", above(0, 1e6));
    read_.network.cutoff_nm = top_.required_number("restraint_cutoff_nm", above(0, 10));
  }

  Numbers& numbers_;
  SectionKeys& top_;
  bool has_cutoff_;
  ShortForm read_;
};

}  // namespace

ShortForm read_short_form(Numbers& numbers, SectionKeys& file, bool has_cutoff) {
  return ShortFormReader(numbers, file, has_cutoff).run();
}

}  // namespace nfold::input
