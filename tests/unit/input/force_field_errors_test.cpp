// Malformed force fields: each is refused with its line, what was found and a remedy.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/input_error.hpp"
#include "input/force_field.hpp"

namespace nfold::input {
namespace {

using testing::HasSubstr;

/// Reads other files from memory.
std::string read_other(const std::string& path) {
  static const std::map<std::string, std::string> files{
      {"circle.yaml", "extends: own.yaml\n"},
      {"self.yaml", "extends: self.yaml\n"},
      {"base.yaml", "extends: calvados2\nbeads: {XX: {mass_amu: 1, charge_e: oops}}\n"},
      {"short.csv", "0.3,1\n0.4,0\n"},
      {"order.csv", "r_nm,u_kj_mol\n0.3,1\n0.5,0\n0.4,0\n"},
      {"text.csv", "0.3,1\n0.4,x\n0.5,0\n"},
      {"good.csv", "0.3,1\n0.4,0.5\n0.5,0\n"}};
  const auto found = files.find(path);
  if (found == files.end()) throw core::InputError({path, 0, 0}, "no such file", "check the path");
  return found->second;
}

/// A complete force field by the schema, to which cases add lines.
const std::string complete = R"(beads:
  AA: {mass_amu: 100, charge_e: 1, sigma_nm: 0.5, lambda: 0.5}
  BB: {mass_amu: 100, charge_e: 0, sigma_nm: 0.6, lambda: 0.1}
groups: {both: [AA, BB]}
functions: {warm: temperature/300}
pair_terms:
  contact: {form: ashbaugh-hatch, epsilon_kj_mol: 0.8, mix: {sigma_nm: mean, lambda: mean}, cutoff_nm: 2}
  charges: {form: debye-hueckel, dielectric: akerlof_oshry, cutoff_nm: 4}
chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8000}]}}
)";

struct Malformed {
  std::string name;
  std::string from, to;  ///< replacement in `complete`; empty `from`: `to` is added at the end
  int line;
  std::string message;
};
class MalformedForceField : public testing::TestWithParam<Malformed> {};

TEST(CompleteForceField, IsAccepted) {
  const auto field = evaluate(*read_force_field(complete, "own.yaml"), {});
  EXPECT_EQ(field.beads.size(), 2U);
}

TEST_P(MalformedForceField, IsRefusedAtItsLine) {
  const auto& [name, from, to, line, message] = GetParam();
  std::string text = complete;
  if (from.empty()) {
    text += to;
  } else {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
  }
  try {
    (void)evaluate(*read_force_field(text, "own.yaml", read_other), {});
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    const auto expected = line > 0 ? "own.yaml:" + std::to_string(line) + ":" : std::string();
    EXPECT_THAT(error.what(), HasSubstr(expected));
    EXPECT_THAT(error.what(), HasSubstr(message));
    for (const auto& problem : error.problems()) EXPECT_FALSE(problem.remedy.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Beads, MalformedForceField,
    testing::Values(
        Malformed{"no_mass", "mass_amu: 100, charge_e: 1", "charge_e: 1", 2,
                  "key 'mass_amu' is missing in beads.AA"},
        Malformed{"zero_mass", "mass_amu: 100, charge_e: 1", "mass_amu: 0, charge_e: 1", 2,
                  "beads.AA.mass_amu = 0"},
        Malformed{"large_charge", "charge_e: 1", "charge_e: 11", 2, "must be"},
        Malformed{"charge_of_text", "charge_e: 1", "charge_e: [1]", 2,
                  "beads.AA.charge_e = a list"},
        Malformed{"no_sigma", "sigma_nm: 0.5, ", "", 2, "beads.AA has no sigma_nm"},
        Malformed{"mistyped_number", "lambda: 0.5", "lamda: 0.5", 2,
                  "unknown key 'lamda' in 'beads.AA' (did you mean 'lambda'?)"},
        Malformed{"unused_number", "lambda: 0.5", "lambda: 0.5, z: 1", 2,
                  "unknown key 'z' in 'beads.AA'"},
        Malformed{"unit", "sigma_nm: 0.5", "sigma_nm: 0.5 nm", 2, "the number alone"},
        Malformed{"unknown_name", "lambda: 0.5", "lambda: worm + 1", 2,
                  "unknown name 'worm' (did you mean 'warm'?)"},
        Malformed{"division", "lambda: 0.5", "lambda: 1/(temperature - 300)", 2,
                  "is inf at temperature = 300"},
        Malformed{"no_number", "lambda: 0.5", "lambda: log(-ph)", 2, "nan at ph = 7.5"},
        Malformed{"own_circle", "lambda: 0.5", "lambda: 2*lambda", 2, "unknown name 'lambda'"},
        Malformed{"circle_of_numbers", "sigma_nm: 0.5, lambda: 0.5",
                  "sigma_nm: lambda, lambda: sigma_nm", 2, "depends on itself"},
        Malformed{"unknown_like", "sigma_nm: 0.5", "like: BC, sigma_nm: 0.5", 2,
                  "beads.AA.like = BC (did you mean 'BB'?)"},
        Malformed{"like_circle", "sigma_nm: 0.6", "like: CC, sigma_nm: 0.6}\n  CC: {like: BB", 3,
                  "beads.BB is like itself"},
        Malformed{"bead_of_number", "sigma_nm: 0.6, lambda: 0.1}",
                  "sigma_nm: 0.6, lambda: 0.1}\n  CC: 7", 4, "beads.CC is 7"},
        Malformed{"bead_called_all", "  AA:", "  all:", 2, "is not 'all'"},
        Malformed{"expression_end", "lambda: 0.5", "lambda: 0.5 +", 2, "ends too early"},
        Malformed{"both_keys", "", "residues: {CC: {mass_amu: 1, charge_e: 0}}\n", 10,
                  "`residues` beside `beads`"},
        Malformed{"beads_a_list", "groups:", "groups: {}\nrest:", 5, "unknown key 'rest'"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Parts, MalformedForceField,
    testing::Values(
        Malformed{"unknown_key", "", "chanis: {}\n", 10, "did you mean 'chains'?"},
        Malformed{"unknown_about", "", "about: {articel: x}\n", 10, "did you mean 'article'?"},
        Malformed{"high_friction", "", "about: {friction_per_ps: 0}\n", 10,
                  "about.friction_per_ps = 0"},
        Malformed{"unknown_bead_position", "", "bead: cbeta\n", 10, "bead = cbeta"},
        Malformed{"group_member", "[AA, BB]", "[AA, BC]", 4, "groups.both: no bead or group BC"},
        Malformed{"group_of_text", "both: [AA, BB]", "both: AA", 4, "groups.both = AA"},
        Malformed{"group_circle", "both: [AA, BB]", "both: [AA, most], most: [both]", 4,
                  "contains itself"},
        Malformed{"group_like_bead", "both:", "AA:", 4, "a group 'AA'"},
        Malformed{"function_circle", "warm: temperature/300", "warm: cold, cold: warm", 5,
                  "depends on itself"},
        Malformed{"function_name", "warm:", "ph:", 5, "a function 'ph'"},
        Malformed{"function_infinite", "temperature/300", "1/ionic_strength^400", 5,
                  "ionic_strength = 0.15"},
        Malformed{"network_number", "", "network: {k_kj_mol_nm2: -1, cutoff_nm: 0.9}\n", 10,
                  "network.k_kj_mol_nm2 = -1"},
        Malformed{"network_incomplete", "", "network: {cutoff_nm: 0.9}\n", 10,
                  "key 'k_kj_mol_nm2' is missing in network"},
        Malformed{"network_separation", "",
                  "network: {k_kj_mol_nm2: 1, cutoff_nm: 0.9, min_separation: 2.5}\n", 10,
                  "must be a whole number"},
        Malformed{"site_factor_unused", "", "site_factor: area_nm2\n", 10,
                  "no pair term has a site factor"},
        Malformed{"site_factor_missing", "epsilon_kj_mol: 0.8",
                  "epsilon_kj_mol: 0.8, with_site_factor: true", 0, "without site_factor"},
        Malformed{"site_factor_name", "epsilon_kj_mol: 0.8, mix",
                  "epsilon_kj_mol: 0.8, with_site_factor: true, mix", 0, "without site_factor"},
        Malformed{"extends_unknown", "beads:", "extends: calvados4\nbeads:", 1,
                  "extends = calvados4 (did you mean 'calvados"},
        Malformed{"extends_a_list", "beads:", "extends: [a]\nbeads:", 1, "extends = a list"},
        Malformed{"extends_missing", "beads:", "extends: ./none.yaml\nbeads:", 0,
                  "none.yaml: no such file"},
        Malformed{"extends_circle", "beads:", "extends: ./circle.yaml\nbeads:", 0,
                  "circle.yaml:1:10: own.yaml extends itself"},
        Malformed{"extends_self", "beads:", "extends: ./self.yaml\nbeads:", 0,
                  "self.yaml extends itself"},
        Malformed{"extends_wrong_base", "beads:", "extends: ./base.yaml\nbeads:", 0,
                  "base.yaml:2:37: beads.XX.charge_e = oops: unknown name 'oops'"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Terms, MalformedForceField,
    testing::Values(
        Malformed{"no_form", "form: ashbaugh-hatch, ", "", 7,
                  "key 'form' is missing in pair_terms.contact"},
        Malformed{"unknown_form", "form: ashbaugh-hatch", "form: ashbaugh-hutch", 7,
                  "pair_terms.contact.form = ashbaugh-hutch"},
        Malformed{"no_number_of_form", "epsilon_kj_mol: 0.8, ", "", 7,
                  "pair_terms.contact has no epsilon_kj_mol"},
        Malformed{"number_twice", "epsilon_kj_mol: 0.8, mix: {",
                  "epsilon_kj_mol: 0.8, mix: {epsilon_kj_mol: mean, ", 7,
                  "beside a number of this name"},
        Malformed{"unknown_mix", "lambda: mean}", "lambda: meen}", 7, "unknown name 'meen'"},
        Malformed{"mix_of_another", "lambda: mean}", "lambda: mean, mu: mean}", 7,
                  "unknown key 'mu' in 'pair_terms.contact.mix'"},
        Malformed{"less_nothing", "lambda: mean}", "lambda: mean less}", 7, "unexpected 'l'"},
        Malformed{"less_text", "lambda: mean}", "lambda: mean less some}", 7,
                  "write 'mean less 0.08'"},
        Malformed{"mix_unsymmetric", "lambda: mean}", "lambda: lambda_1}", 7,
                  "the other way round"},
        Malformed{"mix_unknown_bead_number", "lambda: mean}", "lambda: lamda_1*lamda_2}", 7,
                  "unknown name 'lamda_1' (did you mean 'lambda_1'?)"},
        Malformed{"no_cutoff", ", cutoff_nm: 2}", "}", 7, "key 'cutoff_nm' is missing"},
        Malformed{"negative_cutoff", "cutoff_nm: 2}", "cutoff_nm: -2}", 7, "cutoff_nm = -2"},
        Malformed{"cutoff_of_sigma", "cutoff_nm: 2}", "cutoff_nm: 0*sigma}", 7,
                  "cutoff_nm = 0*sigma"},
        Malformed{"unknown_cutoff_form", "cutoff_nm: 2}", "cutoff_nm: 2, cutoff_form: cut}", 7,
                  "cutoff_form = cut"},
        Malformed{"switch_missing", "cutoff_nm: 2}", "cutoff_nm: 2, cutoff_form: smooth-step}", 7,
                  "key 'switch_nm' is missing"},
        Malformed{"switch_late", "cutoff_nm: 2}",
                  "cutoff_nm: 2, cutoff_form: smooth-step, switch_nm: 2}", 7,
                  "must be less than cutoff_nm"},
        Malformed{"switch_idle", "cutoff_nm: 2}", "cutoff_nm: 2, switch_nm: 1}", 7,
                  "switch_nm without a switch"},
        Malformed{"unknown_term_key", "cutoff_nm: 2}", "cutoff_nm: 2, shift: true}", 7,
                  "unknown key 'shift' in 'pair_terms.contact'"},
        Malformed{"between_one", "cutoff_nm: 2}", "cutoff_nm: 2, between: [AA]}", 7,
                  "a list of two beads or groups"},
        Malformed{"between_unknown", "cutoff_nm: 2}", "cutoff_nm: 2, between: [AA, AB]}", 7,
                  "no bead or group AB"},
        Malformed{"unknown_state", "cutoff_nm: 2}", "cutoff_nm: 2, factor: {folded: 0.7}}", 7,
                  "unknown key 'folded'"},
        Malformed{"negative_factor", "cutoff_nm: 2}", "cutoff_nm: 2, factor: {folded-folded: -1}}",
                  7, "folded-folded = -1"},
        Malformed{"adds_nothing", "cutoff_nm: 2}", "cutoff_nm: 2, add: [{between: [AA, BB]}]}", 7,
                  "adds nothing"},
        Malformed{"adds_unknown", "cutoff_nm: 2}", "cutoff_nm: 2, add: [{epsilon: 1}]}", 7,
                  "unknown key 'epsilon'"},
        Malformed{"too_much", "cutoff_nm: 2}", "cutoff_nm: 2, add: [{lambda: 20}]}", 7,
                  "lambda of AA and AA in pair_terms.contact is"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Charges, MalformedForceField,
    testing::Values(
        Malformed{"two", "chains:",
                  "  more: {form: debye-hueckel, dielectric: 80, cutoff_nm: 4}\nchains:", 9,
                  "a second term of the form debye-hueckel"},
        Malformed{"no_dielectric", "dielectric: akerlof_oshry, ", "", 8,
                  "key 'dielectric' is missing"},
        Malformed{"negative_dielectric", "akerlof_oshry", "-80", 8, "dielectric = -80"},
        Malformed{"dielectric_zero_in_range", "akerlof_oshry", "80 - 100*r", 8, "at r = "},
        Malformed{"dielectric_unknown", "akerlof_oshry", "80 + x*r", 8, "unknown name 'x'"},
        Malformed{"cutoff_of_sigma", "cutoff_nm: 4", "cutoff_nm: 4*sigma", 8,
                  "cutoff_nm = 4*sigma"},
        Malformed{"unknown_key", "cutoff_nm: 4", "cutoff_nm: 4, kappa: 1", 8,
                  "unknown key 'kappa'"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Rows, MalformedForceField,
    testing::Values(
        Malformed{"of_no_term", "", "pairs: {kontakt: []}\n", 10, "did you mean 'contact'?"},
        Malformed{"a_number", "", "pairs: 7\n", 10, "pairs is 7"},
        Malformed{"term_a_number", "", "pairs: {contact: 7}\n", 10, "pairs.contact = 7"},
        Malformed{"full_row_without_rows", "", "pairs: {contact: [[AA, BB, 1]]}\n", 10,
                  "a row without {name: number}"},
        Malformed{"unknown_bead", "", "pairs: {contact: [[AA, CC, {lambda: 1}]]}\n", 10,
                  "pairs.contact: no bead or group CC"},
        Malformed{"unknown_number", "", "pairs: {contact: [[AA, BB, {lamda: 1}]]}\n", 10,
                  "did you mean 'lambda'?"},
        Malformed{"twice", "",
                  "pairs:\n  contact:\n  - [AA, BB, {lambda: 1}]\n  - [BB, AA, {lambda: 2}]\n", 13,
                  "the pair AA BB for the second time"},
        Malformed{
            "idle", "",
            "pairs:\n  contact:\n  - [both, both, {lambda: 1}]\n  - [all, all, {lambda: 2}]\n", 13,
            "the row of all and all never acts"},
        Malformed{"large", "", "pairs: {contact: [[AA, BB, {lambda: 11}]]}\n", 10,
                  "lambda of AA and BB in pair_terms.contact is 11"},
        Malformed{"missing", "mix: {sigma_nm: mean, lambda: mean}", "rows: [sigma_nm, lambda]", 7,
                  "3 of 3 pairs of 2 beads have no row, such as AA AA"},
        Malformed{"short", "chains:",
                  "  more: {form: lennard-jones, rows: [epsilon_kj_mol, sigma_nm], cutoff_nm: 2}\n"
                  "pairs: {more: [[AA, AA, 1]]}\nchains:",
                  10, "a pair is not [ALA, GLY, epsilon_kj_mol, sigma_nm]"},
        Malformed{"others", "chains:",
                  "  more: {form: lennard-jones, rows: [epsilon_kj_mol, sigma_nm], cutoff_nm: 2, "
                  "others: 0}\n"
                  "chains:",
                  9, "pair_terms.more.others = 0"},
        Malformed{"none_at_all", "chains:",
                  "  more: {form: lennard-jones, rows: [epsilon_kj_mol, sigma_nm], cutoff_nm: 2, "
                  "others: none}\n"
                  "chains:",
                  9, "pair_terms.more acts between no beads"},
        Malformed{"rows_twice", "chains:",
                  "  more: {form: lennard-jones, rows: [sigma_nm, sigma_nm], epsilon_kj_mol: 1, "
                  "cutoff_nm: 2, others: none}\n"
                  "chains:",
                  9, "names sigma_nm twice"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Functions, MalformedForceField,
    testing::Values(
        Malformed{"no_file", "chains:", "  more: {form: table, cutoff_nm: 2}\nchains:", 9,
                  "key 'file' is missing"},
        Malformed{"missing_file",
                  "chains:", "  more: {form: table, file: none.csv, cutoff_nm: 2}\nchains:", 0,
                  "none.csv: no such file"},
        Malformed{"short_file",
                  "chains:", "  more: {form: table, file: short.csv, cutoff_nm: 0.5}\nchains:", 0,
                  "short.csv: 2 rows"},
        Malformed{"file_order",
                  "chains:", "  more: {form: table, file: order.csv, cutoff_nm: 0.5}\nchains:", 0,
                  "order.csv:4:1: r = 0.4"},
        Malformed{"file_text",
                  "chains:", "  more: {form: table, file: text.csv, cutoff_nm: 0.5}\nchains:", 0,
                  "text.csv:2:1: '0.4,x'"},
        Malformed{"file_ends",
                  "chains:", "  more: {form: table, file: good.csv, cutoff_nm: 2}\nchains:", 9,
                  "ends at 0.5 nm"},
        Malformed{"no_energy", "chains:", "  more: {form: expression, cutoff_nm: 2}\nchains:", 9,
                  "key 'energy' is missing"},
        Malformed{"energy_text",
                  "chains:", "  more: {form: expression, energy: 1/, cutoff_nm: 2}\nchains:", 9,
                  "ends too early"},
        Malformed{"energy_number_missing",
                  "chains:", "  more: {form: expression, energy: a/r, cutoff_nm: 2}\nchains:", 9,
                  "pair_terms.more has no a"},
        Malformed{"energy_infinite", "chains:",
                  "  more: {form: expression, energy: 1/(r - 0.5), cutoff_nm: 0.9}\nchains:", 9,
                  "is inf at r = 0.5 nm"},
        Malformed{"energy_nan", "chains:",
                  "  more: {form: expression, energy: sqrt(1 - r), cutoff_nm: 2}\nchains:", 9,
                  "nan at r = "},
        Malformed{"cutoff_without_sigma", "chains:",
                  "  more: {form: expression, energy: 1/r, cutoff_nm: 4*sigma}\nchains:", 9,
                  "cutoff_nm = 4*sigma"}),
    [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Chains, MalformedForceField,
    testing::Values(
        Malformed{"none", "chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8000}]}}\n",
                  "", 0, "no chain kind"},
        Malformed{"no_bonds", "bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8000}]",
                  "charged_ends: true", 9, "chains.protein has no bonds"},
        Malformed{"no_length", "length_nm: 0.38, ", "", 9,
                  "key 'length_nm' is missing in chains.protein.bonds[0]"},
        Malformed{"negative_k", "k_kj_mol_nm2: 8000", "k_kj_mol_nm2: -1", 9, "k_kj_mol_nm2 = -1"},
        Malformed{"unknown_bead", "bonds: [{", "bonds: [{beads: [bead, next AA], ", 9,
                  "no bead next AA"},
        Malformed{"one_bead", "bonds: [{", "bonds: [{beads: [bead], ", 9, "must be a list of 2"},
        Malformed{"same_bead", "bonds: [{", "bonds: [{beads: [bead, bead], ", 9, "has bead twice"},
        Malformed{"far_bead", "bonds: [{", "bonds: [{beads: [bead, next next next next bead], ", 9,
                  "at most three times 'next'"},
        Malformed{"unknown_monomer", "bonds:", "monomer: [AB], bonds:", 9, "no bead AB"},
        Malformed{"monomer_twice", "bonds:", "monomer: [AA, AA], bonds:", 9, "has AA twice"},
        Malformed{"beads_needed", "bonds:", "monomer: [AA, BB], bonds:", 9,
                  "chains.protein.bonds[0] has no beads"},
        Malformed{"letters_of_text", "bonds:", "letters: A, bonds:", 9, "letters = A"},
        Malformed{"letter_beads", "bonds:", "letters: {A: [AA, BB]}, bonds:", 9,
                  "letters.A has 2 beads"},
        Malformed{"excluded", "bonds:", "excluded: [bond], bonds:", 9, "excluded has bond"},
        Malformed{"local_pair_term",
                  "bonds:", "local_pairs: [{term: kontact, sigma_nm: 0.4}], bonds:", 9,
                  "did you mean 'contact'?"},
        Malformed{"unknown_key", "bonds:", "ends: true, bonds:", 9,
                  "unknown key 'ends' in 'chains.protein'"},
        Malformed{"angle_unit", "bonds:", "angles: [{degrees: 200, k_kj_mol_rad2: 4}], bonds:", 9,
                  "degrees = 200"}),
    [](const auto& one) { return one.param.name; });

/// Changes of a built-in table of the short form.
struct ShortForm {
  std::string name, table, from, to, message;
};
class MalformedShortForm : public testing::TestWithParam<ShortForm> {};

TEST_P(MalformedShortForm, IsRefusedWithPosition) {
  std::string text(builtin_force_field_text(GetParam().table));
  const auto at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  try {
    (void)evaluate(*read_force_field(text, "own.yaml"), {});
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("own.yaml"));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedShortForm,
    testing::Values(
        ShortForm{"no_form", "calvados2", "form: ashbaugh-hatch", "", "no pair term"},
        ShortForm{"unknown_form", "calvados2", "form: ashbaugh-hatch\n", "form: lennard-jones\n",
                  "form = lennard-jones"},
        ShortForm{"unknown_key", "calvados2", "lambda_offset: 0", "lambda_offest: 0",
                  "'lambda_offest'"},
        ShortForm{"unknown_residue_key", "calvados2", "lambda: 0.274", "lamdba: 0.274",
                  "unknown key 'lamdba' in 'residues.ALA'"},
        ShortForm{"huge_charge", "calvados2", "mass_amu: 71.07, charge_e: 0",
                  "mass_amu: 71.07, charge_e: 40", "residues.ALA.charge_e = 40"},
        ShortForm{"no_charge", "calvados2", "mass_amu: 71.07, charge_e: 0", "mass_amu: 71.07",
                  "key 'charge_e' is missing in residues.ALA"},
        ShortForm{"negative_mass", "calvados2", "mass_amu: 71.07", "mass_amu: -71.07",
                  "ALA.mass_amu = -71.07"},
        ShortForm{"no_sigma", "calvados2", "sigma_nm: 0.504, ", "", "residues.ALA has no sigma_nm"},
        ShortForm{"no_number", "calvados2", "sigma_nm: 0.504", "sigma_nm: big",
                  "ALA.sigma_nm = big"},
        ShortForm{"large_lambda", "calvados2", "lambda: 0.274", "lambda: 10.274",
                  "residues.ALA.lambda = 10.274"},
        ShortForm{"few_coefficients", "calvados2", "[5321.0, 233.76", "[5321.0", "found 4 numbers"},
        ShortForm{"no_dielectric", "calvados2",
                  "dielectric_of_temperature: [5321.0, 233.76, -0.9297, 1.417e-3, -8.292e-7]", "",
                  "neither dielectric_constant nor"},
        ShortForm{"no_bond", "calvados2", "bond_length_nm: 0.38 ", "",
                  "'bond_length_nm' is missing"},
        ShortForm{"residues_a_list", "calvados2", "residues:\n", "residues: []\nrest:\n",
                  "no residues"},
        ShortForm{"residue_a_number", "calvados2", "  ALA: {", "  GAP: 7\n  ALA: {",
                  "residues.GAP is 7"},
        ShortForm{"constant_of_another_form", "calvados2", "lambda_offset: 0",
                  "contact_energy_scale: 0", "unknown key 'contact_energy_scale'"},
        ShortForm{"rows_of_another_form", "calvados2", "residues:\n",
                  "pairs: [[ALA, ALA, 1]]\nresidues:\n", "a row without {name: number}"},
        ShortForm{"contact_constant_missing", "kim-hummer", "contact_energy_scale: 0.228", "",
                  "key 'contact_energy_scale' is missing"},
        ShortForm{"contact_constant_no_number", "kim-hummer", "contact_energy_scale: 0.228",
                  "contact_energy_scale: much", "contact_energy_scale = much"},
        ShortForm{"contact_pair_of_another_form", "kim-hummer", "[ALA, ALA, -2.72]",
                  "[ALA, ALA, 1, 0.5, 2]", "a pair is not [ALA, GLY, contact energy]"},
        ShortForm{"pair_short", "mpipi", "[MET, MET, 0.165535776, ", "[MET, MET, ",
                  "a pair is not"},
        ShortForm{"pair_twice", "mpipi", "[MET, GLY,", "[MET, MET,", "MET MET for the second time"},
        ShortForm{"pair_missing", "mpipi", "  - [MET, GLY, 0.284583128, 0.55761784035264, 2]\n", "",
                  "1 of 210 pairs of 20 residues have no row, such as GLY MET"},
        ShortForm{"pair_unknown", "mpipi", "[MET, GLY,", "[MET, GLX,",
                  "pairs.contact: no bead or group GLX"},
        ShortForm{"pair_mu", "mpipi", "0.64679508713673, 2]", "0.64679508713673, 30]", "mu = 30"}),
    [](const auto& one) { return one.param.name; });

TEST(ForceFieldFile, RefusesEmptyTexts) {
  EXPECT_THROW((void)evaluate(*read_force_field("", "own.yaml"), {}), core::InputError);
  EXPECT_THROW((void)read_force_field("- 1\n", "own.yaml"), core::InputError);
}

}  // namespace
}  // namespace nfold::input
