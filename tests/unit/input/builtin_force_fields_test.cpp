// Built-in force fields against their texts and publications, and options of an input.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/scalars.hpp"
#include "core/input_error.hpp"
#include "force_field_parts.hpp"
#include "input/force_field.hpp"

namespace nfold::input {
namespace {

using document::find_entry;
using document::InputNode;
using pair_forms::CutoffForm;
using pair_forms::FunctionKind;
using testing::ElementsAre;

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
