// Concentrations in a box, and remarks on misleading systems.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::setup {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Overrides = std::vector<std::string>;

SystemSetup build(const std::string& text, const Overrides& overrides = {}) {
  const std::string input = NFOLD_INPUT "/test.yaml";
  return build_system(comm::Communicator(), input::parse_input(text, input, overrides), input);
}

const std::string ubiquitin =
    "system: {structure: structures/1ubq.pdb.gz}\n"
    "dynamics: {steps: 1}\n";
const std::string peptide =
    "system: {species: [{name: p, sequence: KGGDG}]}\n"
    "force_field: {model: calvados2}\n"
    "dynamics: {steps: 1}\n";

// Ubiquitin weighs 8,564.8 Da (UniProt P0CG48), independent of the go model's mass.
TEST(GoModelInABox, BoxFollowsFromRealMass) {
  const Overrides eight{"system.copies=8", "system.concentration_mg_per_ml=2"};
  for (const char* mass : {"force_field.mass_amu=1", "force_field.mass_amu=100"}) {
    auto overrides = eight;
    overrides.emplace_back(mass);
    const auto system = build(ubiquitin, overrides);
    const double edge_nm = std::cbrt(8 * 8564.8 * 1.66053906660 / 2);
    EXPECT_NEAR(system.topology.box.length_nm[0], edge_nm, 1e-3 * edge_nm);
    EXPECT_THAT(system.notes, Contains(HasSubstr("8.56 kDa, +0.00 e; 2 mg/ml")));
  }
}

// 8 copies of 40 residues, 4,456 Da, in 6.43 nm: 8 x 4456 x 1.66053906660 / 6.43^3.
TEST(GoModelInABox, ReportedConcentrationUsesRealMass) {
  const auto notes =
      build(ubiquitin, {"system.copies=8", "system.box_nm=6.43", "system.chains=[A:1-40]"}).notes;
  EXPECT_THAT(notes, Contains(HasSubstr("; 222.7 mg/ml")));
}

TEST(GoModelInABox, CopiesFollowFromRealMass) {
  const std::string species =
      "system: {box_nm: 30, species: [{name: u, structure: structures/1ubq.pdb.gz, "
      "concentration_mg_per_ml: 5}]}\n"
      "dynamics: {steps: 1}\n";
  // 27,000 nm^3 of 5 mg/ml are 81,299 kDa/N_A: 9.49 molecules.
  EXPECT_EQ(build(species).topology.chains.size(), 9U);
}

TEST(Remarks, NameMoleculesLongerThanTheBox) {
  const auto own_image = HasSubstr("overlaps with its own image");
  EXPECT_THAT(build(ubiquitin, {"system.box_nm=4"}).notes,
              Contains(AllOf(own_image, HasSubstr("the box 4 nm along x"))));
  EXPECT_THAT(build(ubiquitin, {"system.box_nm=[20, 20, 4]"}).notes,
              Contains(AllOf(own_image, HasSubstr("along z"))));
  EXPECT_THAT(build(ubiquitin, {"system.box_nm=[20, 0, 20]"}).notes, Not(Contains(own_image)));
  EXPECT_THAT(build(ubiquitin).notes, Not(Contains(own_image)));
}

TEST(Remarks, NameImplausibleDielectricConstants) {
  const auto water = HasSubstr("water has 55 (373 K) to 89 (273 K)");
  EXPECT_THAT(build(peptide).notes, Not(Contains(water)));
  EXPECT_THAT(build(peptide, {"force_field.model=hps-kr"}).notes, Not(Contains(water)));
  for (const char* constant : {"4", "500"}) {
    const std::string key = std::string("force_field.dielectric_constant=") + constant;
    EXPECT_THAT(
        build(peptide, {key}).notes,
        Contains(AllOf(water, HasSubstr(std::string("dielectric_constant = ") + constant))));
  }
  EXPECT_THAT(build(peptide, {"dynamics.temperature_kelvin=450"}).notes,
              Contains(AllOf(water, HasSubstr("at 450 K"))));
  const Overrides ladder{"ensemble.temperatures=4", "ensemble.lowest_kelvin=300",
                         "ensemble.highest_kelvin=420"};
  EXPECT_THAT(build(peptide, ladder).notes, Contains(AllOf(water, HasSubstr("at 420 K"))));
}

// SMOG 2's run files fold most proteins at kT of 0.83 to 1 epsilon: 100 to 120 K with 1 kJ/mol.
TEST(Remarks, ExplainTemperaturesOfGoModels) {
  const auto stays_folded = HasSubstr("stays folded");
  EXPECT_THAT(build(ubiquitin, {"dynamics.temperature_kelvin=80"}).notes,
              Contains(AllOf(HasSubstr("80 K is kT = 0.665 epsilon"), stays_folded,
                             HasSubstr("here 99.8 to 120 K"))));
  EXPECT_THAT(build(ubiquitin, {"dynamics.temperature_kelvin=110"}).notes,
              Contains(AllOf(HasSubstr("110 K is kT = 0.915 epsilon"), Not(stays_folded))));
  EXPECT_THAT(build(ubiquitin, {"force_field.epsilon_kj_mol=3"}).notes,
              Contains(AllOf(HasSubstr("here 299 to 361 K"), stays_folded)));
  EXPECT_THAT(build(peptide).notes, Not(Contains(HasSubstr("epsilon, no temperature"))));
}

TEST(Remarks, StateErrorOfMixedPrecision) {
  const auto stated = HasSubstr("mixed precision without a box");
  EXPECT_THAT(build(ubiquitin).notes, Contains(AllOf(stated, HasSubstr("about 6e-05"))));
  EXPECT_THAT(build(ubiquitin, {"dynamics.precision=double"}).notes, Not(Contains(stated)));
  EXPECT_THAT(build(ubiquitin, {"system.box_nm=20"}).notes, Not(Contains(stated)));
}

TEST(ChargedEnds, FollowEachSpecies) {
  const auto system = build(
      "system:\n  species:\n"
      "    - {name: whole, sequence: GGG}\n"
      "    - {name: start, sequence: GGG, charged_ends: first}\n"
      "    - {name: middle, sequence: GGG, charged_ends: false}\n"
      "    - {name: end, sequence: GGG, charged_ends: last}\n"
      "force_field: {model: calvados2}\n"
      "dynamics: {steps: 1}\n");
  const std::vector<double> charges{1, 0, -1, 1, 0, 0, 0, 0, 0, 0, 0, -1};
  const std::vector<double> added_amu{2, 0, 16, 2, 0, 0, 0, 0, 0, 0, 0, 16};
  for (std::size_t i = 0; i < charges.size(); ++i) {
    EXPECT_EQ(system.topology.residues[i].charge_e, charges[i]) << i;
    EXPECT_EQ(system.topology.residues[i].mass_amu, 57.05 + added_amu[i]) << i;
  }
  EXPECT_THAT(system.notes, Contains("start: first end charged"));
  EXPECT_THAT(system.notes, Contains("middle: ends not charged"));
}

}  // namespace
}  // namespace nfold::setup
