// Force fields: built-in values against their texts and publications, and every part of the schema.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/force_field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/scalars.hpp"
#include "core/input_error.hpp"

namespace nfold::input {
namespace {

using document::find_entry;
using document::InputNode;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;
using pair_forms::PairFunction;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

ForceField field_of(const std::string& text, const Conditions& conditions = {},
                    const CondensateSettings& settings = {}, const ReadFile& read = {}) {
  return evaluate(*read_force_field(text, "own.yaml", read), conditions, settings);
}
ForceField builtin(std::string_view name, const CondensateSettings& settings = {}) {
  return evaluate(*builtin_force_field(name), {}, settings);
}

const PairTerm& term(const ForceField& field, const std::string& name) {
  const auto found = std::ranges::find(field.pair_terms, name, &PairTerm::name);
  if (found == field.pair_terms.end()) throw std::logic_error("no term " + name);
  return *found;
}
const std::optional<PairFunction>& maybe(const ForceField& field, const std::string& name,
                                         const std::string& a, const std::string& b) {
  return field.function(term(field, name), field.find_bead(a), field.find_bead(b));
}
const PairFunction& pair(const ForceField& field, const std::string& name, const std::string& a,
                         const std::string& b) {
  return maybe(field, name, a, b).value();
}
const BeadType& bead(const ForceField& field, const std::string& name) {
  return field.beads.at(static_cast<std::size_t>(field.find_bead(name)));
}
std::vector<double> numbers(const PairFunction& function, std::size_t count) {
  return {function.numbers.begin(), function.numbers.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Number of a key in a YAML text, read without the code under test; 0 if it is not there.
double raw(const InputNode& map, std::string_view key) {
  const auto* const node = find_entry(map, key);
  return node == nullptr ? 0 : document::to_real(node->text).value_or(0);
}

const std::vector<std::string> short_forms{"hps-kr",    "hps-urry", "calvados2",
                                           "calvados3", "mpipi",    "kim-hummer"};

TEST(BuiltinForceFields, MatchCommittedFiles) {
  for (const auto name : builtin_force_field_names()) {
    std::ifstream file(NFOLD_SOURCE_DIR "/input/force_fields/" + std::string(name) + ".yaml");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(builtin_force_field_text(name), text.str()) << name;
    EXPECT_EQ(model_name(find_model(name)), name);
  }
  EXPECT_EQ(model_name(ForceFieldModel::go), "go");
}

TEST(BuiltinForceFields, CanAllBeEvaluated) {
  for (const auto name : builtin_force_field_names()) {
    const auto field = builtin(name);
    EXPECT_FALSE(field.facts.article.empty()) << name;
    EXPECT_FALSE(field.facts.mixtures.empty()) << name;
    for (const auto& one : field.pair_terms) {
      EXPECT_EQ(one.functions.size(), field.beads.size() * field.beads.size()) << name;
    }
  }
}

// Every number of the tables in the short form, against the text.
TEST(ShortForm, KeepsEveryNumber) {
  for (const auto& name : short_forms) {
    SCOPED_TRACE(name);
    const InputNode root = document::read_document(builtin_force_field_text(name), name);
    const auto field = builtin(name);
    const InputNode& residues = *find_entry(root, "residues");
    ASSERT_EQ(field.beads.size(), residues.items.size());
    ASSERT_EQ(field.beads.size(), 20U);
    for (std::size_t k = 0; k < field.beads.size(); ++k) {
      EXPECT_EQ(field.beads[k].name, residues.entry_names[k].text);
      EXPECT_EQ(field.beads[k].mass_amu, raw(residues.items[k], "mass_amu"));
      const bool by_ph = name.starts_with("calvados") && field.beads[k].name == "HIS";
      const double charge = by_ph ? histidine_charge(7.5, 6) : raw(residues.items[k], "charge_e");
      EXPECT_EQ(field.beads[k].charge_e, charge);
    }
    ASSERT_EQ(field.pair_terms.size(), 1U);
    const PairTerm& contact = field.pair_terms[0];
    EXPECT_EQ(contact.name, "contact");
    EXPECT_EQ(&contact, field.contact());
    if (name == "mpipi" || name == "kim-hummer") {
      EXPECT_FALSE(contact.means);
      const InputNode& rows = *find_entry(root, "pairs");
      ASSERT_EQ(rows.items.size(), 210U);
      for (const InputNode& row : rows.items) {
        const auto& one = pair(field, "contact", row.items[0].text, row.items[1].text);
        const auto& back = pair(field, "contact", row.items[1].text, row.items[0].text);
        EXPECT_EQ(one.numbers, back.numbers);
        const auto number = [&row](std::size_t k) { return *document::to_real(row.items[k].text); };
        if (name == "mpipi") {
          EXPECT_EQ(one.kind, FunctionKind::wang_frenkel);
          EXPECT_THAT(numbers(one, 3), ElementsAre(number(2), number(3), number(4)));
          EXPECT_EQ(one.cutoff_nm, 3 * number(3));
        } else {
          const double above = number(2) + 1.67;
          EXPECT_EQ(one.numbers[0], std::max(0.004184, std::abs(0.228 * above * 2.481112)));
          EXPECT_EQ(one.numbers[2], above < 0 ? 1 : -1);
          const double sum = raw(*find_entry(residues, row.items[0].text), "sigma_nm") +
                             raw(*find_entry(residues, row.items[1].text), "sigma_nm");
          EXPECT_EQ(one.numbers[1], 0.5 * sum);
          EXPECT_EQ(one.cutoff_nm, 2);
        }
      }
    } else {
      ASSERT_TRUE(contact.means);
      EXPECT_EQ(contact.means->epsilon_kj_mol, raw(root, "epsilon_kj_mol"));
      const double offset = raw(root, "lambda_offset");
      for (std::size_t k = 0; k < field.beads.size(); ++k) {
        EXPECT_EQ(contact.means->sigma_nm[k], raw(residues.items[k], "sigma_nm"));
        EXPECT_EQ(contact.means->lambda[k], raw(residues.items[k], "lambda") - offset);
        for (std::size_t l = 0; l < field.beads.size(); ++l) {
          const auto& one = *contact.functions[k * field.beads.size() + l];
          EXPECT_EQ(one.kind, FunctionKind::ashbaugh_hatch);
          EXPECT_EQ(one.numbers[0], raw(root, "epsilon_kj_mol"));
          EXPECT_EQ(one.numbers[1],
                    0.5 * (contact.means->sigma_nm[k] + contact.means->sigma_nm[l]));
          EXPECT_EQ(one.numbers[2], 0.5 * (contact.means->lambda[k] + contact.means->lambda[l]));
          EXPECT_EQ(one.cutoff_nm, raw(root, "short_range_cutoff_nm"));
          EXPECT_EQ(one.factor, 1);
        }
      }
    }
    const bool is_shifted = name.starts_with("calvados");
    EXPECT_EQ(contact.cutoff_form, is_shifted ? CutoffForm::shifted : CutoffForm::truncated);
    EXPECT_EQ(contact.cutoff_nm, raw(root, "short_range_cutoff_nm"));
    EXPECT_EQ(field.charges.acts, true);
    EXPECT_EQ(field.charges.shifted, is_shifted);
    EXPECT_EQ(field.charges.coulomb_kj_mol_nm, raw(root, "coulomb_kj_mol_nm"));
    EXPECT_EQ(field.charges.cutoff_nm, raw(root, "electrostatic_cutoff_nm"));
    EXPECT_FALSE(field.charges.unit);
    ASSERT_EQ(field.chains.size(), 1U);
    const ChainKind& protein = field.chains[0];
    EXPECT_EQ(protein.name, "protein");
    EXPECT_THAT(protein.roles, ElementsAre("bead"));
    ASSERT_EQ(protein.bonds.size(), 1U);
    EXPECT_EQ(protein.bonds[0].k, raw(root, "bond_k_kj_mol_nm2"));
    EXPECT_EQ(protein.bonds[0].length_nm, raw(root, "bond_length_nm"));
    EXPECT_THAT(protein.bonds[0].monomers, ElementsAre(0, 1));
    EXPECT_EQ(protein.has_charged_ends, is_shifted);
    EXPECT_EQ(protein.first_mass_amu, is_shifted ? 2 : 0);
    EXPECT_EQ(protein.last_mass_amu, is_shifted ? 16 : 0);
    EXPECT_EQ(protein.network.k_kj_mol_nm2, 700);
    EXPECT_EQ(protein.network.cutoff_nm, 0.9);
    EXPECT_EQ(protein.network.min_separation, 2);
    EXPECT_TRUE(protein.excluded.bonds);
    EXPECT_FALSE(protein.excluded.angle_ends);
    EXPECT_EQ(field.bead,
              name == "calvados3" ? TableBead::centre_of_mass_in_domains : TableBead::calpha);
    EXPECT_EQ(field.facts.friction_per_ps, name == "mpipi" ? 0.1 : 0.01);
    EXPECT_FALSE(field.uses_temperature || field.uses_ionic_strength);
  }
}

// Source: tables and codes of the papers that input/force_fields names.
TEST(BuiltinForceFields, HoldPublishedValues) {
  const auto lambda = [](std::string_view model, const std::string& name) {
    const auto field = builtin(model);
    return field.pair_terms[0].means->lambda[static_cast<std::size_t>(field.find_bead(name))];
  };
  EXPECT_EQ(lambda("calvados2", "TYR"), 0.977461144934);
  EXPECT_EQ(lambda("calvados2", "GLU"), 0.000693546096);
  EXPECT_EQ(lambda("calvados3", "TRP"), 1.033450123574512);
  EXPECT_EQ(lambda("hps-kr", "ALA"), 0.730);
  EXPECT_EQ(lambda("hps-urry", "GLU"), -0.08);
  const auto mpipi = builtin("mpipi");
  EXPECT_THAT(numbers(pair(mpipi, "contact", "ARG", "TYR"), 3),
              ElementsAre(2.54311888, 0.678623853720568, 2));
  EXPECT_EQ(pair(mpipi, "contact", "ILE", "ILE").numbers[2], 11);
  EXPECT_EQ(bead(mpipi, "HIS").charge_e, 0.375);
  EXPECT_EQ(bead(builtin("hps-kr"), "HIS").charge_e, 0.5);
  EXPECT_EQ(bead(builtin("hps-urry"), "HIS").charge_e, 0);
  // Sum of all contact energies of Miyazawa and Jernigan's table 3, which detects a typing error.
  const InputNode root =
      document::read_document(builtin_force_field_text("kim-hummer"), "kim-hummer");
  double sum = 0;
  for (const auto& row : find_entry(root, "pairs")->items) {
    sum += *document::to_real(row.items[2].text);
  }
  EXPECT_NEAR(sum, -666.89, 1e-9);
}

// Computed with 40 digits from the constants of the CALVADOS package.
TEST(DebyeHueckel, FollowsTemperatureAndSalt) {
  struct Point {
    double kelvin, molar, dielectric, prefactor, kappa;
  };
  for (const Point& p :
       {Point{293, 0.15, 80.30884725191399, 1.7300142333556885, 1.269737568954279},
        Point{293.15, 0.15, 80.25263595544587, 1.7312259859891996, 1.2698571646327212},
        Point{298, 0.15, 78.45676221158658, 1.7708537147570556, 1.273814397063598},
        Point{293, 0.1, 80.30884725191399, 1.7300142333556885, 1.0367363837266517},
        Point{310, 0.15, 74.18851892903226, 1.8727351727172619, 1.2843407980061536}}) {
    const auto& charges =
        evaluate(*builtin_force_field("calvados2"), {p.kelvin, p.molar, 7}).charges;
    EXPECT_NEAR(charges.dielectric_constant, p.dielectric, 1e-13 * p.dielectric);
    EXPECT_NEAR(charges.coulomb_kj_mol_nm / charges.dielectric_constant, p.prefactor,
                1e-14 * p.prefactor);
    EXPECT_NEAR(charges.inverse_debye_length_per_nm, p.kappa, 1e-13 * p.kappa);
    EXPECT_TRUE(charges.is_screened_by_salt);
  }
}

TEST(DebyeHueckel, FilesAndOptionsFixConstants) {
  const Conditions cold{280, 0.15, 7};
  const auto hps = evaluate(*builtin_force_field("hps-kr"), cold).charges;
  EXPECT_EQ(hps.dielectric_constant, 80);
  EXPECT_EQ(hps.inverse_debye_length_per_nm, 1);
  EXPECT_FALSE(hps.is_screened_by_salt);
  EXPECT_EQ(evaluate(*builtin_force_field("mpipi"), cold).charges.inverse_debye_length_per_nm,
            1.26);
  CondensateSettings settings;
  settings.dielectric_constant = 70;
  settings.inverse_debye_length_per_nm = 0.5;
  const auto given = evaluate(*builtin_force_field("calvados3"), cold, settings).charges;
  EXPECT_EQ(given.dielectric_constant, 70);
  EXPECT_EQ(given.inverse_debye_length_per_nm, 0.5);
}

TEST(Options, KeepWhatIsGivenAndCompleteTheRest) {
  CondensateSettings given;
  given.electrostatic_shifted = ModelFlag::yes;
  given.bond_k_kj_mol_nm2 = 8360;
  given.restraint_cutoff_nm = 1.1;
  const auto field = builtin("hps-kr", given);
  const auto& done = field.options;
  EXPECT_EQ(done.bond_k_kj_mol_nm2, 8360);
  EXPECT_EQ(field.chains[0].bonds[0].k, 8360);
  EXPECT_EQ(done.bond_length_nm, 0.38);
  EXPECT_EQ(done.electrostatic_shifted, ModelFlag::yes);
  EXPECT_TRUE(field.charges.shifted);
  EXPECT_EQ(done.short_range_shifted, ModelFlag::no);
  EXPECT_EQ(done.short_range_cutoff_nm, 2);
  EXPECT_EQ(done.electrostatic_cutoff_nm, 3.5);
  EXPECT_EQ(done.dielectric_constant, 80);
  EXPECT_EQ(done.inverse_debye_length_per_nm, 1);
  EXPECT_EQ(done.charged_ends, ChargedEnds::none);
  EXPECT_EQ(done.restraint_k_kj_mol_nm2, 700);
  EXPECT_EQ(field.chains[0].network.cutoff_nm, 1.1);
  // A second evaluation with the completed options is the same.
  const auto again = builtin("hps-kr", done);
  EXPECT_EQ(again.options.short_range_cutoff_nm, 2);
  EXPECT_EQ(again.chains[0].bonds[0].k, 8360);
}

TEST(Options, EndContactsByTheirSigma) {
  CondensateSettings given;
  given.short_range_cutoff_over_sigma = 4;
  given.short_range_shifted = ModelFlag::yes;
  const auto field = builtin("hps-kr", given);
  EXPECT_EQ(field.options.short_range_cutoff_nm, 0);
  EXPECT_EQ(field.pair_terms[0].cutoff_over_sigma, 4);
  EXPECT_EQ(field.pair_terms[0].cutoff_nm, 0);
  EXPECT_EQ(pair(field, "contact", "ALA", "ALA").cutoff_nm, 4 * 0.504);
  EXPECT_EQ(pair(field, "contact", "ALA", "ALA").cutoff_form, CutoffForm::shifted);
}

TEST(Options, WithoutSubjectAreRefused) {
  CondensateSettings given;
  given.short_range_cutoff_nm = 2;
  EXPECT_THROW((void)builtin("mpipi", given), core::InputError);
  const std::string two =
      "extends: hps-kr\npair_terms: {more: {form: lennard-jones, epsilon_kj_mol: 1, "
      "mix: {sigma_nm: mean}, cutoff_nm: 2}}\n";
  EXPECT_EQ(field_of(two).contact(), nullptr);
  EXPECT_EQ(field_of(two).options.short_range_cutoff_nm, 0);
  EXPECT_THROW((void)field_of(two, {}, given), core::InputError);
}

// Source: models.md, section 10, of the project's sources: independent programs.
TEST(Schema, ReproducesPublishedVariants) {
  const std::string phospho =
      "extends: calvados2\nbeads:\n"
      "  SEP: {like: SER, mass_amu: 165.04, sigma_nm: 0.601, lambda: 0.09254168116115408, "
      "charge_e: -1 - 1/(1 + 10^(6.01 - ph))}\n";
  EXPECT_NEAR(bead(field_of(phospho), "SEP").charge_e, -1.9686549405, 1e-10);
  const auto phospho_field = field_of(phospho, {298, 0.19, 7});
  EXPECT_NEAR(pair(phospho_field, "contact", "SEP", "ARG").at(0.7).energy, -0.34123376017, 4e-11);
  EXPECT_EQ(bead(phospho_field, "SEP").like, "SER");

  const std::string peg =
      "extends: calvados2\nbeads: {PEG: {mass_amu: 44.05, charge_e: 0, sigma_nm: 0.4, lambda: "
      "0.2}}\n"
      "pairs: {contact: [[PEG, all, {lambda: 0.2}]]}\n"
      "chains: {peg: {letters: {J: PEG}, bonds: [{length_nm: 0.33, k_kj_mol_nm2: 8033}]}}\n";
  const auto peg_field = field_of(peg);
  EXPECT_NEAR(pair(peg_field, "contact", "PEG", "PEG").at(0.45).energy, -0.16728683936, 2e-11);
  EXPECT_NEAR(pair(peg_field, "contact", "PEG", "TYR").at(0.7).energy, -0.095978330376, 1e-11);
  EXPECT_FALSE(peg_field.pair_terms[0].means);
  EXPECT_EQ(peg_field.chain_kind("peg").monomers[0].letter, "J");
  EXPECT_THAT(peg_field.chain_kind("peg").monomers[0].types, ElementsAre(20));
  EXPECT_EQ(peg_field.chains[0].name, "protein");

  const std::string warm =
      "extends: hps-kr\nfunctions: {greasy: -25.475 + 0.14537*temperature - "
      "0.00020059*temperature^2}\n"
      "beads: {VAL: {lambda: lambda + greasy}}\n";
  for (const auto& [kelvin, lambda] : {std::pair(300.0, 0.9749), std::pair(320.0, 1.394984)}) {
    const auto field = field_of(warm, {kelvin, 0.15, 7.5});
    EXPECT_NEAR(pair(field, "contact", "VAL", "VAL").numbers[2], lambda, 1e-12);
    EXPECT_TRUE(field.uses_temperature);
    EXPECT_TRUE(field.pair_terms[0].means);
    EXPECT_EQ(field.beads.size(), 20U);
  }

  const std::string cation_pi =
      "extends: hps-kr\ngroups: {cation: [ARG, LYS], aromatic: [PHE, TRP, TYR]}\n"
      "pair_terms:\n  cation_pi: {form: lennard-jones, between: [cation, aromatic], "
      "epsilon_kj_mol: 3.138, mix: {sigma_nm: mean}, cutoff_nm: 2}\n";
  const auto cation = field_of(cation_pi);
  const double r = 0.7;
  EXPECT_NEAR(pair(cation, "cation_pi", "ARG", "TYR").at(r).energy, -2.8668000567, 3e-10);
  EXPECT_NEAR(pair(cation, "cation_pi", "TYR", "ARG").at(r).energy +
                  pair(cation, "contact", "ARG", "TYR").at(r).energy,
              -3.1563960718, 3e-10);
  EXPECT_FALSE(maybe(cation, "cation_pi", "ARG", "LYS"));
  EXPECT_FALSE(maybe(cation, "cation_pi", "ALA", "PHE"));
  EXPECT_EQ(cation.contact(), nullptr);

  const std::string rna =
      "extends: hps-kr\nbeads:\n  RA: {mass_amu: 329.2, charge_e: -1, sigma_nm: 0.844, lambda: "
      "-0.054}\n"
      "  RG: {mass_amu: 345.2, charge_e: -1, sigma_nm: 0.851, lambda: -0.189}\n"
      "  RU: {mass_amu: 306.2, charge_e: -1, sigma_nm: 0.817, lambda: -0.027}\n";
  const auto nucleotides = field_of(rna);
  EXPECT_NEAR(pair(nucleotides, "contact", "RA", "RG").at(1.0).energy, 0.094855489301, 1e-11);
  EXPECT_NEAR(pair(nucleotides, "contact", "LYS", "RU").at(0.8).energy, -0.191352804583, 2e-11);
}

const std::string two_beads = R"(beads:
  AA: {mass_amu: 100, charge_e: 1, sigma_nm: 0.5, lambda: 0.5}
  BB: {mass_amu: 100, charge_e: -1, sigma_nm: 0.6, lambda: 0.1}
  CC: {like: BB, charge_e: 0}
chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8000}]}}
)";

TEST(Schema, MixesNumbers) {
  const auto field =
      field_of(two_beads +
               "pair_terms:\n"
               "  one: {form: ashbaugh-hatch, epsilon_kj_mol: 2*0.4, mix: {sigma_nm: geometric, "
               "lambda: mean "
               "less 0.08}, cutoff_nm: 3*sigma, cutoff_form: shifted}\n"
               "  two: {form: 10-5, mix: {sigma_nm: sum, epsilon_kj_mol: sqrt(lambda_1*lambda_2)}, "
               "add: [{between: [AA, BB], epsilon_kj_mol: 0.3}, {epsilon_kj_mol: "
               "abs(charge_e_1)*abs(charge_e_2)}], "
               "cutoff_nm: 3.1, switch_nm: 2.9, cutoff_form: force-matched}\n");
  const auto& one = pair(field, "one", "AA", "BB");
  EXPECT_THAT(numbers(one, 3),
              ElementsAre(0.8, DoubleNear(std::sqrt(0.3), 1e-16), DoubleNear(0.22, 1e-15)));
  EXPECT_EQ(one.cutoff_nm, 3 * one.numbers[1]);
  EXPECT_EQ(one.cutoff_form, CutoffForm::shifted);
  EXPECT_FALSE(term(field, "one").means);
  const auto& two = pair(field, "two", "BB", "AA");
  EXPECT_EQ(two.kind, FunctionKind::power_10_5);
  EXPECT_THAT(numbers(two, 2), ElementsAre(DoubleNear(std::sqrt(0.05) + 1.3, 1e-15), 1.1));
  EXPECT_EQ(two.switch_nm, 2.9);
  EXPECT_EQ(two.cutoff_form, CutoffForm::force_matched);
  // CC is like BB: it has its sigma and lambda, but addends go by group and charge.
  EXPECT_NEAR(pair(field, "two", "AA", "CC").numbers[0], std::sqrt(0.05) + 0.3, 1e-15);
  EXPECT_FALSE(field.charges.acts);
}

TEST(Schema, CloserRowsAct) {
  const auto field = field_of(
      two_beads +
      "groups: {most: [AA, BB]}\n"
      "pair_terms:\n"
      "  contact: {form: wang-frenkel, rows: [epsilon_kj_mol, sigma_nm, mu], cutoff_nm: 3*sigma}\n"
      "pairs:\n  contact:\n"
      "  - [BB, BB, 4, 0.5, 2]\n"
      "  - [all, all, 1, 0.5, 2]\n"
      "  - [most, most, 2, 0.5, 2]\n"
      "  - [AA, most, 3, 0.5, 2]\n"
      "  - [CC, AA, {mu: 4}]\n");
  const auto epsilon = [&field](const std::string& a, const std::string& b) {
    return pair(field, "contact", a, b).numbers[0];
  };
  EXPECT_EQ(epsilon("AA", "AA"), 3);
  EXPECT_EQ(epsilon("AA", "BB"), 3);
  EXPECT_EQ(epsilon("BB", "BB"), 4);
  EXPECT_EQ(epsilon("CC", "CC"), 4);  // like BB
  EXPECT_EQ(epsilon("AA", "CC"), 3);
  EXPECT_EQ(pair(field, "contact", "AA", "CC").numbers[2], 4);
  EXPECT_EQ(pair(field, "contact", "AA", "BB").numbers[2], 2);
}

TEST(Schema, RowsOfExtendingFilesActFirst) {
  const auto field = field_of(
      "extends: mpipi\ngroups: {greasy: [ILE, LEU]}\npairs: {contact: [[greasy, VAL, "
      "{epsilon_kj_mol: 1}], "
      "[MET, MET, 7, 0.6, 4]]}\n");
  EXPECT_EQ(pair(field, "contact", "VAL", "ILE").numbers[0], 1);
  EXPECT_EQ(pair(field, "contact", "VAL", "ILE").numbers[2], 4);
  EXPECT_THAT(numbers(pair(field, "contact", "MET", "MET"), 3), ElementsAre(7, 0.6, 4));
}

TEST(Schema, RowsMayHaveNumbersForMixing) {
  const auto field = field_of(
      two_beads +
      "pair_terms: {contact: {form: ashbaugh-hatch, epsilon_kj_mol: 0.8, rows: [f, d], mix: "
      "{sigma_nm: (sigma_nm_1 + sigma_nm_2)/2 + d, lambda: 1 - (1 - (lambda_1 + lambda_2)/2)^f}, "
      "cutoff_nm: 2}}\n"
      "pairs: {contact: [[all, all, 1, 0], [AA, BB, 2, 0.01]]}\n");
  EXPECT_THAT(numbers(pair(field, "contact", "AA", "BB"), 3),
              ElementsAre(0.8, DoubleNear(0.56, 1e-15), DoubleNear(1 - 0.49, 1e-15)));
  EXPECT_NEAR(pair(field, "contact", "AA", "AA").numbers[2], 0.5, 1e-15);
}

TEST(Schema, FactorsByStateMakeFoldedTypes) {
  const auto field = field_of(
      "extends: mpipi\npair_terms:\n"
      "  contact: {factor: {folded-folded: 0.7, folded-disordered: sqrt(0.7)}}\n"
      "  idle: {form: lennard-jones, epsilon_kj_mol: 1, sigma_nm: 0.5, cutoff_nm: 1, factor: "
      "{folded-folded: 0, folded-disordered: 0}}\n");
  ASSERT_TRUE(field.has_folded_types);
  EXPECT_EQ(field.beads.size(), 40U);
  EXPECT_EQ(field.bead_count(), 20);
  const int a = field.find_bead("ALA"), b = field.find_bead("TYR");
  const auto& contact = term(field, "contact");
  EXPECT_EQ(field.beads[static_cast<std::size_t>(field.folded_type(a))].name, "ALA");
  EXPECT_EQ(field.function(contact, a, b)->factor, 1);
  EXPECT_EQ(field.function(contact, field.folded_type(a), b)->factor, std::sqrt(0.7));
  EXPECT_EQ(field.function(contact, b, field.folded_type(a))->factor, std::sqrt(0.7));
  EXPECT_EQ(field.function(contact, field.folded_type(b), field.folded_type(a))->factor, 0.7);
  EXPECT_TRUE(field.function(term(field, "idle"), a, b));
  EXPECT_FALSE(field.function(term(field, "idle"), a, field.folded_type(b)));
  EXPECT_FALSE(field.function(term(field, "idle"), field.folded_type(a), field.folded_type(b)));
}

TEST(Schema, YukawaHasAnAmplitudeForEachPair) {
  const auto field = field_of(
      two_beads +
      "pair_terms: {screened: {form: yukawa, rows: [a_kj_mol_nm], others: none, length_nm: "
      "1/sqrt(8*pi*1.671e4/(akerlof_oshry*temperature)*0.6022*ionic_strength), cutoff_nm: 3.5}}\n"
      "pairs: {screened: [[AA, BB, -2.0623], [AA, AA, 1.6736]]}\n");
  // Source: models.md section 1, the Debye length of Mpipi-Recharged.
  EXPECT_NEAR(pair(field, "screened", "AA", "BB").numbers[1], 0.78402, 5e-6);
  EXPECT_EQ(pair(field, "screened", "AA", "BB").numbers[0], -2.0623);
  EXPECT_TRUE(maybe(field, "screened", "CC", "AA"));  // like BB
  EXPECT_FALSE(maybe(field, "screened", "BB", "BB"));
  EXPECT_TRUE(field.uses_temperature);
  EXPECT_TRUE(field.uses_ionic_strength);
  EXPECT_EQ(field.contact(), nullptr);
}

// Source: models.md, section 10: MOFF, unit charges of opposite sign at 0.7 nm.
TEST(Schema, DielectricConstantMayDependOnDistance) {
  const auto field =
      field_of(two_beads +
                   "pair_terms: {charges: {form: debye-hueckel, dielectric: -8.5525 + 86.9525/(1 + "
                   "7.7839*exp(-0.03627*86.9525*r)), cutoff_nm: 1.5, switch_nm: 1.2, cutoff_form: "
                   "smooth-step}}\n",
               {300, 0.1, 7});
  ASSERT_TRUE(field.charges.unit);
  const auto& unit = *field.charges.unit;
  EXPECT_EQ(unit.cutoff_form, CutoffForm::smooth_step);
  EXPECT_EQ(unit.switch_nm, 1.2);
  const double dielectric = -8.5525 + 86.9525 / (1 + 7.7839 * std::exp(-0.03627 * 86.9525 * 0.7));
  const double bjerrum = 138.935457644382 / (dielectric * 8.31446261815324e-3 * 300);
  const double kappa = std::sqrt(8 * std::numbers::pi * bjerrum * 0.1 * 0.602214076);
  EXPECT_NEAR(unit.at(0.7).energy, 138.935457644382 / dielectric / 0.7 * std::exp(-kappa * 0.7),
              1e-13);
  EXPECT_TRUE(field.uses_temperature);
}

TEST(Schema, SwitchedChargesAreFunctions) {
  const auto field = field_of(
      two_beads +
      "pair_terms: {charges: {form: debye-hueckel, dielectric: 80, "
      "inverse_debye_length_per_nm: 1, cutoff_nm: 2, switch_nm: 1, cutoff_form: smooth-step}}\n");
  ASSERT_TRUE(field.charges.unit);
  EXPECT_NEAR(field.charges.unit->at(0.5).energy, 138.935457644382 / 80 * std::exp(-0.5) / 0.5,
              1e-13);
  EXPECT_EQ(field.options.dielectric_constant, 80);
  EXPECT_EQ(field.options.electrostatic_shifted, ModelFlag::by_model);
}

TEST(Schema, ExpressionsAndTablesAreFunctions) {
  const ReadFile read = [](const std::string& path) {
    EXPECT_EQ(path, "folder/pmf.csv");
    return std::string("# a line\nr_nm,u_kj_mol\n0.3, 8\n0.5 1\n1;0\n");
  };
  const auto field =
      evaluate(*read_force_field(two_beads + "functions: {b: 0.5}\n"
                                             "pair_terms:\n"
                                             "  one: {form: expression, energy: a*exp(-r/b)/r, "
                                             "rows: [a], others: none, cutoff_nm: 2}\n"
                                             "  two: {form: table, file: pmf.csv, cutoff_nm: 1}\n"
                                             "pairs: {one: [[AA, BB, 3]]}\n",
                                 "folder/own.yaml", read),
               {});
  const auto& one = pair(field, "one", "BB", "AA");
  EXPECT_EQ(one.kind, FunctionKind::expression);
  EXPECT_NEAR(one.at(0.7).energy, 3 * std::exp(-1.4) / 0.7, 1e-15);
  EXPECT_FALSE(maybe(field, "one", "AA", "AA"));
  const auto& two = pair(field, "two", "CC", "CC");
  EXPECT_EQ(two.kind, FunctionKind::tabulated);
  EXPECT_EQ(two.at(0.3).energy, 8);
  EXPECT_NEAR(two.at(0.5).energy, 1, 1e-15);
  // Second derivative at the middle node: 6 (-2 + 35)/(2 (0.2 + 0.5)); then by hand.
  EXPECT_NEAR(two.at(0.4).energy, 4.146428571428571, 1e-14);
  EXPECT_NEAR(two.at(0.75).energy, -1.7098214285714286, 1e-14);
  EXPECT_NEAR(two.at(0.4).slope, -36.178571428571431, 1e-12);
}

TEST(Schema, SiteFactorReadsAreaAndBead) {
  const auto field = field_of(
      "beads:\n"
      "  AA: {mass_amu: 100, charge_e: 0, area_ref_nm2: 2}\n"
      "  RU: {mass_amu: 100, charge_e: 0}\n"
      "site_factor: sqrt(min(area_nm2/(0.7*area_ref_nm2), 1))\n"
      "pair_terms: {contact: {form: lennard-jones, epsilon_kj_mol: 1, sigma_nm: 0.5, cutoff_nm: 2, "
      "with_site_factor: true}}\n"
      "chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8000}]}}\n");
  ASSERT_TRUE(field.site_factor);
  EXPECT_TRUE(field.pair_terms[0].has_site_factor);
  EXPECT_NEAR(field.site_factor(0, 0.7), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(field.site_factor(0, 3), 1);
  EXPECT_EQ(field.site_factor(1, 0.1), 1);
}

TEST(Schema, ReadsChainKinds) {
  const auto field = field_of(
      "extends: calvados2\n"
      "beads:\n"
      "  RP: {mass_amu: 194.1, charge_e: -1, sigma_nm: 0.6954, lambda: 0}\n"
      "  RB: {mass_amu: 126.3, charge_e: 0, sigma_nm: 0.6238, lambda: 1.18}\n"
      "  RA: {like: RB, mass_amu: 134.1}\n"
      "network: {min_separation: 3, excluded: false}\n"
      "chains:\n"
      "  rna:\n"
      "    monomer: [RP, RB]\n"
      "    bonds:  [{beads: [RP, next RP], length_nm: 0.59, k_kj_mol_nm2: 1400}, {beads: [RP, RB], "
      "length_nm: structure, k_kj_mol_nm2: 2200}]\n"
      "    angles: [{beads: [RP, next RP, next next RP], degrees: 180, k_kj_mol_rad2: 4.2}]\n"
      "    dihedrals: [{beads: [RP, next RP, next next RP, next next next RP], theta0_rad: 0.5, "
      "k1_kj_mol: 1, k3_kj_mol: 2}]\n"
      "    local_pairs: [{beads: [RB, next RB], term: contact, sigma_nm: 0.4, factor: 15, "
      "shift_cutoff_nm: 2}]\n"
      "    excluded: [bonds, angle_ends, local_pairs]\n"
      "    separation_below: 2\n"
      "    network: {k_kj_mol_nm2: 10, cutoff_nm: 1.5, between_chains: true}\n"
      "  mixed: {monomer: [P, B], letters: {A: [RP, RA], U: [RP, RB]}, bonds: [{beads: [P, B], "
      "length_nm: 0.5, k_kj_mol_nm2: 100}]}\n"
      "  protein: {flexible_angles: true, excluded: [bonds, native]}\n");
  ASSERT_EQ(field.chains.size(), 3U);
  EXPECT_EQ(field.chains[0].name, "protein");
  EXPECT_TRUE(field.chains[0].flexible_angles);
  EXPECT_EQ(field.chains[0].bonds[0].k, 8033);
  EXPECT_EQ(field.chains[0].network.min_separation, 3);
  EXPECT_FALSE(field.chains[0].network.excludes_pairs);
  EXPECT_TRUE(field.chains[0].excluded.native);
  const auto& rna = field.chain_kind("rna");
  EXPECT_THAT(rna.roles, ElementsAre("RP", "RB"));
  ASSERT_EQ(rna.monomers.size(), 1U);
  EXPECT_EQ(rna.monomers[0].letter, "");
  EXPECT_THAT(rna.monomers[0].types, ElementsAre(20, 21));
  ASSERT_EQ(rna.bonds.size(), 2U);
  EXPECT_THAT(rna.bonds[0].beads, ElementsAre(0, 0));
  EXPECT_THAT(rna.bonds[0].monomers, ElementsAre(0, 1));
  EXPECT_FALSE(rna.bonds[0].from_structure);
  EXPECT_THAT(rna.bonds[1].beads, ElementsAre(0, 1));
  EXPECT_TRUE(rna.bonds[1].from_structure);
  ASSERT_EQ(rna.angles.size(), 1U);
  EXPECT_THAT(rna.angles[0].monomers, ElementsAre(0, 1, 2));
  EXPECT_EQ(rna.angles[0].theta0_rad, std::numbers::pi);
  EXPECT_EQ(rna.angles[0].k, 4.2);
  EXPECT_EQ(rna.dihedrals[0].theta0_rad, 0.5);
  EXPECT_EQ(rna.dihedrals[0].k1_kj_mol, 1);
  EXPECT_EQ(rna.dihedrals[0].k3_kj_mol, 2);
  ASSERT_EQ(rna.local_pairs.size(), 1U);
  EXPECT_EQ(rna.local_pairs[0].term, 0);
  EXPECT_EQ(rna.local_pairs[0].factor, 15);
  EXPECT_EQ(rna.local_pairs[0].sigma_nm, 0.4);
  EXPECT_EQ(rna.local_pairs[0].shift_cutoff_nm, 2);
  EXPECT_TRUE(rna.excluded.bonds && rna.excluded.angle_ends && rna.excluded.local_pairs);
  EXPECT_FALSE(rna.excluded.native);
  EXPECT_EQ(rna.excluded.separation_below, 2);
  EXPECT_EQ(rna.network.k_kj_mol_nm2, 10);
  EXPECT_TRUE(rna.network.between_chains);
  EXPECT_FALSE(rna.has_charged_ends);
  const auto& mixed = field.chain_kind("mixed");
  EXPECT_EQ(mixed.monomers[0].letter, "A");
  EXPECT_THAT(mixed.monomers[0].types, ElementsAre(20, 22));
  EXPECT_EQ(bead(field, "RA").mass_amu, 134.1);
}

TEST(Schema, ShortFormMayBeChangedKeyByKey) {
  const auto field = field_of(
      "extends: calvados2\nlambda_offset: 0.1\n"
      "pair_terms: {contact: {cutoff_nm: 2.2}, charges: {dielectric: 75, cutoff_form: truncated}}\n"
      "residues: {ALA: {lambda: 0.5}}\n");
  EXPECT_EQ(field.pair_terms[0].cutoff_nm, 2.2);
  EXPECT_EQ(field.pair_terms[0].cutoff_form, CutoffForm::shifted);
  EXPECT_EQ(field.charges.dielectric_constant, 75);
  EXPECT_FALSE(field.charges.shifted);
  EXPECT_EQ(field.charges.cutoff_nm, 4);
  EXPECT_EQ(field.pair_terms[0].means->lambda[0], 0.4);
  EXPECT_EQ(field.beads[0].mass_amu, 71.07);
}

TEST(Schema, ExtendingFilesMayDropASwitch) {
  const ReadFile read = [](const std::string&) {
    return two_beads +
           "pair_terms: {contact: {form: lennard-jones, epsilon_kj_mol: 1, sigma_nm: 0.5, "
           "cutoff_nm: "
           "2, switch_nm: 1, cutoff_form: smooth-step}}\n";
  };
  const std::string text =
      "extends: ./base.yaml\npair_terms: {contact: {cutoff_form: truncated}}\n";
  const auto field = field_of(text, {}, {}, read);
  EXPECT_EQ(pair(field, "contact", "AA", "BB").switch_nm, 0);
  EXPECT_EQ(pair(field, "contact", "AA", "BB").cutoff_form, CutoffForm::truncated);
}

TEST(Schema, ExtendsSeveralTimes) {
  const ReadFile read = [](const std::string& path) {
    return path == "b/base.yaml"
               ? std::string(
                     "extends: calvados2\nfunctions: {x: 1}\nbeads: {ALA: {lambda: lambda + x}}\n")
               : std::string();
  };
  const auto field = field_of(
      "extends: b/base.yaml\nfunctions: {x: 2}\nbeads: {ALA: {lambda: 2*lambda}}\n", {}, {}, read);
  EXPECT_EQ(field.pair_terms[0].means->lambda[0], 2 * (0.274329796904 + 2));
}

TEST(RunConditions, AreThoseOfTheFirstState) {
  Settings settings;
  settings.dynamics.temperature_kelvin = 310;
  settings.force_field.condensate.ionic_strength_molar = 0.2;
  settings.force_field.condensate.ph = 6;
  EXPECT_EQ(run_conditions(settings).temperature_kelvin, 310);
  EXPECT_EQ(run_conditions(settings).ionic_strength_molar, 0.2);
  EXPECT_EQ(run_conditions(settings).ph, 6);
  settings.ensemble.temperatures = 2;
  settings.ensemble.lowest_kelvin = 290;
  settings.ensemble.ionic_strengths_molar = {0.05, 0.1};
  EXPECT_EQ(run_conditions(settings).temperature_kelvin, 290);
  EXPECT_EQ(run_conditions(settings).ionic_strength_molar, 0.05);
}

}  // namespace
}  // namespace nfold::input
