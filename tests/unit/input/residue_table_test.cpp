// Residue tables: built-in values against publications, and errors of malformed tables.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/residue_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "core/input_error.hpp"

namespace nfold::input {
namespace {

using testing::HasSubstr;

const ResidueParameters& residue(ForceFieldModel model, const std::string& name) {
  const auto& residues = builtin_table(model).residues;
  return *std::find_if(residues.begin(), residues.end(),
                       [&name](const ResidueParameters& r) { return r.name == name; });
}

double lambda(ForceFieldModel model, const std::string& name) {
  return residue(model, name).form_numbers.at(0);
}

double net(ForceFieldModel model) {
  double sum = 0;
  for (const auto& r : builtin_table(model).residues) sum += r.charge_e;
  return sum;
}

TEST(BuiltinTables, MatchCommittedFiles) {
  for (std::size_t k = 0; k < models.size(); ++k) {
    const auto model = static_cast<ForceFieldModel>(k);
    if (model == ForceFieldModel::go) continue;
    EXPECT_EQ(builtin_table(model).residues.size(), 20U);
    const std::string name(models[k].name);
    std::ifstream file(NFOLD_SOURCE_DIR "/input/force_fields/" + name + ".yaml");
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(builtin_table_text(model), text.str()) << name;
  }
}

// Source: tables and codes of the papers that input/force_fields names.
TEST(BuiltinTables, HoldPublishedValues) {
  using Model = ForceFieldModel;
  EXPECT_EQ(lambda(Model::calvados2, "TYR"), 0.977461144934);
  EXPECT_EQ(lambda(Model::calvados2, "GLU"), 0.000693546096);
  EXPECT_EQ(lambda(Model::calvados3, "TRP"), 1.033450123574512);
  EXPECT_EQ(lambda(Model::hps_kr, "ALA"), 0.730);
  EXPECT_EQ(lambda(Model::hps_urry, "GLU"), 0);
  EXPECT_EQ(builtin_table(Model::hps_urry).lambda_offset, 0.08);
  EXPECT_EQ(residue(Model::calvados2, "VAL").mass_amu, 99.13);
  EXPECT_EQ(residue(Model::hps_kr, "VAL").mass_amu, 99.07);
  EXPECT_EQ(residue(Model::mpipi, "VAL").mass_amu, 99.07);
  EXPECT_EQ(residue(Model::hps_kr, "HIS").charge_e, 0.5);
  EXPECT_EQ(residue(Model::hps_urry, "HIS").charge_e, 0);
  EXPECT_EQ(residue(Model::mpipi, "HIS").charge_e, 0.375);
  EXPECT_EQ(residue(Model::mpipi, "ASP").charge_e, -0.75);
  EXPECT_EQ(net(Model::hps_kr), 0.5);
  EXPECT_EQ(net(Model::calvados2), 0);
  for (const auto model : {Model::hps_kr, Model::hps_urry, Model::calvados2, Model::calvados3}) {
    EXPECT_EQ(builtin_table(model).epsilon_kj_mol, 0.8368);
    EXPECT_EQ(residue(model, "ARG").sigma_nm, 0.656);
    EXPECT_EQ(residue(model, "TRP").sigma_nm, 0.678);
  }
}

TEST(BuiltinTables, MpipiHasEveryPairOnce) {
  const auto& pairs = builtin_table(ForceFieldModel::mpipi).pairs;
  EXPECT_EQ(pairs.size(), 210U);
  std::set<std::string> names;
  std::set<std::pair<std::string, std::string>> unordered;
  for (const auto& p : pairs) {
    ASSERT_EQ(p.numbers.size(), 3U);
    names.insert({p.first, p.second});
    unordered.insert(std::minmax(p.first, p.second));
  }
  ASSERT_EQ(names.size(), 20U);
  ASSERT_EQ(unordered.size(), 210U);
  const auto pair = [&pairs](const std::string& a, const std::string& b) {
    return *std::find_if(pairs.begin(), pairs.end(), [&](const PairParameters& p) {
      return (p.first == a && p.second == b) || (p.first == b && p.second == a);
    });
  };
  EXPECT_EQ(pair("ARG", "TYR").numbers, (std::vector{2.54311888, 0.678623853720568, 2.0}));
  EXPECT_EQ(pair("ILE", "ILE").numbers[2], 11);
  EXPECT_EQ(pair("VAL", "ILE").numbers[2], 4);
  EXPECT_EQ(
      std::count_if(pairs.begin(), pairs.end(), [](const auto& p) { return p.numbers[2] == 2; }),
      208);
}

// Source: table 3 of Miyazawa and Jernigan (1996). The sum over all 210 pairs detects a typo.
TEST(BuiltinTables, KimHummerHasEveryContactEnergy) {
  const auto& table = builtin_table(ForceFieldModel::kim_hummer);
  EXPECT_EQ(table.pairs.size(), 210U);
  EXPECT_EQ(table.form_constants, (std::vector{2.481112, 0.228, -1.67, 0.004184}));
  double sum = 0;
  for (const auto& pair : table.pairs) {
    ASSERT_EQ(pair.numbers.size(), 1U);
    sum += pair.numbers[0];
    if (pair.first == "LEU" && pair.second == "LEU") {
      EXPECT_EQ(pair.numbers[0], -7.37);
    }
    if (pair.first == "LYS" && pair.second == "LYS") {
      EXPECT_EQ(pair.numbers[0], -0.12);
    }
  }
  EXPECT_NEAR(sum, -666.89, 1e-9);
}

// Computed with 40 digits from the constants of the CALVADOS package.
TEST(DebyeHueckel, FollowsTemperatureAndSalt) {
  struct Point {
    double kelvin, molar, dielectric, prefactor, kappa;
  };
  const auto& table = builtin_table(ForceFieldModel::calvados2);
  for (const Point& p :
       {Point{293, 0.15, 80.30884725191399, 1.7300142333556885, 1.269737568954279},
        Point{293.15, 0.15, 80.25263595544587, 1.7312259859891996, 1.2698571646327212},
        Point{298, 0.15, 78.45676221158658, 1.7708537147570556, 1.273814397063598},
        Point{293, 0.1, 80.30884725191399, 1.7300142333556885, 1.0367363837266517},
        Point{310, 0.15, 74.18851892903226, 1.8727351727172619, 1.2843407980061536}}) {
    CondensateSettings settings;
    settings.ionic_strength_molar = p.molar;
    const double dielectric = dielectric_constant(settings, table, p.kelvin);
    EXPECT_NEAR(dielectric, p.dielectric, 1e-13 * p.dielectric);
    EXPECT_NEAR(table.coulomb_kj_mol_nm / dielectric, p.prefactor, 1e-14 * p.prefactor);
    EXPECT_NEAR(inverse_debye_length_per_nm(settings, table, p.kelvin), p.kappa, 1e-13 * p.kappa);
  }
}

TEST(DebyeHueckel, HpsMpipiAndInputFixConstants) {
  CondensateSettings settings;
  const auto& hps = builtin_table(ForceFieldModel::hps_kr);
  const auto& mpipi = builtin_table(ForceFieldModel::mpipi);
  EXPECT_EQ(dielectric_constant(settings, hps, 280), 80);
  EXPECT_EQ(inverse_debye_length_per_nm(settings, hps, 280), 1);
  EXPECT_EQ(inverse_debye_length_per_nm(settings, mpipi, 280), 1.26);
  settings.dielectric_constant = 70;
  settings.inverse_debye_length_per_nm = 0.5;
  const auto& calvados = builtin_table(ForceFieldModel::calvados3);
  EXPECT_EQ(dielectric_constant(settings, calvados, 280), 70);
  EXPECT_EQ(inverse_debye_length_per_nm(settings, calvados, 280), 0.5);
}

TEST(WithTableValues, KeepsInputValues) {
  CondensateSettings given;
  given.electrostatic_shifted = ModelFlag::yes;
  given.bond_k_kj_mol_nm2 = 8360;
  const auto done = with_table_values(given, builtin_table(ForceFieldModel::hps_kr));
  EXPECT_EQ(done.bond_k_kj_mol_nm2, 8360);
  EXPECT_EQ(done.bond_length_nm, 0.38);
  EXPECT_EQ(done.electrostatic_shifted, ModelFlag::yes);
  EXPECT_EQ(done.short_range_shifted, ModelFlag::no);
  EXPECT_EQ(done.short_range_cutoff_nm, 2);
  EXPECT_EQ(done.electrostatic_cutoff_nm, 3.5);
  EXPECT_EQ(done.charged_ends, ChargedEnds::none);
  given.short_range_cutoff_over_sigma = 4;
  EXPECT_EQ(with_table_values(given, builtin_table(ForceFieldModel::hps_kr)).short_range_cutoff_nm,
            0);
}

struct Malformed {
  std::string name, from, to, message;
};

class MalformedTable : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedTable, IsRefusedWithPosition) {
  const bool pairs = GetParam().name.starts_with("pair");
  const bool contacts = GetParam().name.starts_with("contact");
  std::string text(builtin_table_text(pairs      ? ForceFieldModel::mpipi
                                      : contacts ? ForceFieldModel::kim_hummer
                                                 : ForceFieldModel::calvados2));
  const auto at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  try {
    (void)parse_residue_table(text, "own.yaml");
    FAIL() << "accepted";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("own.yaml"));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedTable,
    testing::Values(
        Malformed{"no_form", "form: ashbaugh-hatch", "", "key 'form' is missing"},
        Malformed{"unknown_form", "ashbaugh-hatch\n", "lennard-jones\n", "own.yaml:4:7: form ="},
        Malformed{"unknown_key", "lambda_offset: 0", "lambda_offest: 0", "'lambda_offest'"},
        Malformed{"unknown_residue_key", "lambda: 0.274", "lamdba: 0.274",
                  "unknown key 'lamdba' in 'residues.ALA'"},
        Malformed{"huge_charge", "mass_amu: 71.07, charge_e: 0", "mass_amu: 71.07, charge_e: 40",
                  "residues.ALA.charge_e = 40"},
        Malformed{"no_charge", "mass_amu: 71.07, charge_e: 0", "mass_amu: 71.07",
                  "key 'charge_e' is missing in residues.ALA"},
        Malformed{"negative_mass", "mass_amu: 71.07", "mass_amu: -71.07", "ALA.mass_amu = -71.07"},
        Malformed{"no_sigma", "sigma_nm: 0.504, ", "", "residues.ALA has no sigma_nm"},
        Malformed{"no_number", "sigma_nm: 0.504", "sigma_nm: big", "ALA.sigma_nm = big"},
        Malformed{"large_lambda", "lambda: 0.274", "lambda: 10.274",
                  "residues.ALA.lambda = 10.274"},
        Malformed{"few_coefficients", "[5321.0, 233.76", "[5321.0", "found 4 numbers"},
        Malformed{"no_dielectric",
                  "dielectric_of_temperature: [5321.0, 233.76, -0.9297, 1.417e-3, "
                  "-8.292e-7]",
                  "", "neither dielectric_constant nor"},
        Malformed{"residues_a_list", "residues:\n", "residues: []\nrest:\n",
                  "'residues' is a list"},
        Malformed{"residue_a_number", "  ALA: {", "  GAP: 7\n  ALA: {", "residues.GAP is 7"},
        Malformed{"contact_constant_missing", "contact_energy_scale: 0.228", "",
                  "key 'contact_energy_scale' is missing"},
        Malformed{"contact_constant_no_number", "contact_energy_scale: 0.228",
                  "contact_energy_scale: much", "contact_energy_scale = much"},
        Malformed{"contact_pair_of_another_form", "[ALA, ALA, -2.72]", "[ALA, ALA, 1, 0.5, 2]",
                  "a pair is not [ALA, GLY, contact energy]"},
        Malformed{"constant_of_another_form", "lambda_offset: 0", "contact_energy_scale: 0",
                  "unknown key 'contact_energy_scale'"},
        Malformed{"rows_of_another_form", "residues:\n", "pairs: [[ALA, ALA, 1]]\nresidues:\n",
                  "pairs in a table of the form ashbaugh-hatch"},
        Malformed{"pair_short", "[MET, MET, 0.165535776, ", "[MET, MET, ", "a pair is not"},
        Malformed{"pair_twice", "[MET, GLY,", "[MET, MET,", "MET MET for the second time"},
        Malformed{"pair_missing", "  - [MET, GLY, 0.284583128, 0.55761784035264, 2]\n", "",
                  "209 pairs of 20 residues"},
        Malformed{"pair_unknown", "[MET, GLY,", "[MET, GLX,", "a pair of MET and GLX"},
        Malformed{"pair_mu", "0.64679508713673, 2]", "0.64679508713673, 3]", "mu 2, 4 or 11"}),
    [](const auto& one) { return one.param.name; });

TEST(ResidueTable, RefusesEmptyText) {
  EXPECT_THROW((void)parse_residue_table("", "own.yaml"), core::InputError);
  EXPECT_THROW((void)parse_residue_table("- 1\n", "own.yaml"), core::InputError);
}

}  // namespace
}  // namespace nfold::input
