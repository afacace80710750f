// Parts of the schema of force-field files.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/force_field.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "force_field_parts.hpp"

namespace nfold::input {
namespace {

using pair_forms::CutoffForm;
using pair_forms::FunctionKind;
using testing::DoubleNear;
using testing::ElementsAre;

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

/// Beads for terms without a size.
const std::string bare_beads = R"(beads:
  AA: {mass_amu: 100, charge_e: 1}
  BB: {mass_amu: 100, charge_e: -1}
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
      "beads:\n"
      "  AA: {mass_amu: 100, charge_e: 0}\n"
      "  BB: {mass_amu: 100, charge_e: 0}\n"
      "  CC: {like: BB}\n"
      "  DD: {mass_amu: 100, charge_e: 0}\n"
      "  EE: {mass_amu: 100, charge_e: 0}\n"
      "chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8000}]}}\n"
      "groups: {most: [AA, BB, DD]}\n"
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
  EXPECT_EQ(epsilon("DD", "DD"), 2);
  EXPECT_EQ(epsilon("EE", "DD"), 1);
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
      bare_beads +
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
      field_of(bare_beads +
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
      bare_beads +
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
      evaluate(*read_force_field(bare_beads + "functions: {b: 0.5}\n"
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
      "    network: {k_kj_mol_nm2: 10, cutoff_nm: 1.5}\n"
      "  mixed: {monomer: [P, B], letters: {A: [RP, RA], U: [RP, RB]}, bonds: [{beads: [P, B], "
      "length_nm: 0.5, k_kj_mol_nm2: 100}]}\n"
      "  protein: {flexible_angles: true, excluded: [bonds, native]}\n");
  ASSERT_EQ(field.chains.size(), 3U);
  EXPECT_EQ(field.chains[0].name, "protein");
  EXPECT_TRUE(field.chains[0].flexible_angles);
  EXPECT_EQ(field.chains[0].bonds[0].k, 8033);
  EXPECT_EQ(field.chains[0].network.min_separation, 3);
  EXPECT_FALSE(field.chains[0].network.excludes_pairs);
  EXPECT_EQ(field.chains[0].excluded.native, NativePairs::none);
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
  EXPECT_EQ(rna.excluded.native, NativePairs::all);
  EXPECT_EQ(rna.excluded.separation_below, 2);
  EXPECT_EQ(rna.network.k_kj_mol_nm2, 10);
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
    return bare_beads +
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

}  // namespace
}  // namespace nfold::input
