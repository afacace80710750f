// Molecules and restraints given term by term: rows, builders, and wrong lines.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/molecule_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/input_error.hpp"
#include "model/topology/assembly.hpp"

namespace nfold::topology {
namespace {

using testing::HasSubstr;

const std::string molecule_text = R"(# a molecule
[beads]
GLY 2 1
ALA 0 0 1
LYS 0 0 1 0.1 -0.2 3e-1   # with a position
ASP 16 -1 0
[bonds]
1 2 0.38 8033
2 3 0.39 8033
[springs]
1 3 0.6 700
[angles]
1 2 3 3.14 4.2
[contacts]
1 4 0.7 5
[local_pairs]
3 4 0.8 0.5 0.3 2 0.5 4
[exclusions]
2 4
)";

ResidueModel make_model() {
  ResidueModel model;
  model.file = input::builtin_force_field("calvados2");
  model.evaluate();
  return model;
}

TEST(MoleculeFile, BuildsBeadsAndTerms) {
  const auto model = make_model();
  const auto t = build_molecule(parse_molecule(molecule_text, "a"), "a", "a", model);
  ASSERT_EQ(t.residue_count(), 4);
  EXPECT_DOUBLE_EQ(t.residues[0].mass_amu, 57.05 + 2);
  EXPECT_EQ(t.residues[0].charge_e, 1);
  EXPECT_EQ(t.residues[2].charge_e, 1);
  EXPECT_EQ(t.residues[3].charge_e, -2);
  EXPECT_EQ(t.residues[1].domain, 0);
  EXPECT_EQ(t.residues[3].domain, -1);
  EXPECT_TRUE(std::isnan(t.native_nm[0][0]));
  EXPECT_EQ(t.native_nm[2], (std::array{0.1, -0.2, 0.3}));
  EXPECT_EQ(t.bonds.size(), 2U);
  EXPECT_EQ(t.restraints.size(), 1U);
  EXPECT_EQ(t.angles.size(), 1U);
  EXPECT_EQ(t.contacts_12_10.size(), 1U);
  // All pairs: two bonds, a spring, a contact, a local pair, and the row of exclusions.
  EXPECT_EQ(t.exclusions.size(), 6U);
  EXPECT_EQ(t.residues[2].segment, t.residues[0].segment);
  EXPECT_NE(t.residues[3].segment, t.residues[2].segment);
}

TEST(MoleculeFile, LocalPairEndsWithTheShiftOfItsCutoffs) {
  const auto model = make_model();
  const auto t = build_molecule(parse_molecule(molecule_text, "a"), "a", "a", model);
  const LocalPair pair = t.local_pairs[0];
  const auto lj = [](double r) { return 4 * 0.8 * (std::pow(0.5 / r, 12) - std::pow(0.5 / r, 6)); };
  const auto& charges = t.electrostatics;
  const auto screened = [&](double r) {
    return -2 * charges.coulomb_kj_mol_nm * std::exp(-charges.kappa_per_nm * r) / r;
  };
  const double r = 0.9;
  EXPECT_NEAR(pair.value(r).energy, 0.3 * (lj(r) - lj(2)) + 0.5 * (screened(r) - screened(4)),
              1e-12);
}

TEST(MoleculeFile, WrittenTextReadsBack) {
  const auto molecule = parse_molecule(molecule_text, "a");
  const auto text = write_molecule(molecule, {"one"});
  EXPECT_EQ(write_molecule(parse_molecule(text, "b"), {"one"}), text);
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_molecule(text, "a.molecule");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MoleculeFile, WrongRowsAreNamed) {
  const std::string beads = "[beads]\nGLY 0 0\nALA 0 0\n";
  EXPECT_THAT(refusal(""), HasSubstr("no beads"));
  EXPECT_THAT(refusal("GLY 0 0\n"), HasSubstr("a.molecule:1: a row before the first section"));
  EXPECT_THAT(refusal("[atoms]\n"), HasSubstr("a.molecule:1: section '[atoms]'"));
  EXPECT_THAT(refusal("[beads]\nGLY 0\n"), HasSubstr("a.molecule:2: 2 fields"));
  EXPECT_THAT(refusal("[beads]\nGLY 0 nan\n"), HasSubstr("'nan' is no finite number"));
  EXPECT_THAT(refusal("[beads]\nGLYGLYGLY 0 0\n"), HasSubstr("at most 7 letters"));
  EXPECT_THAT(refusal("[beads]\nGLY 0 0 -1\n"), HasSubstr("domain '-1'"));
  EXPECT_THAT(refusal(beads + "[bonds]\n1 3 0.38 8033\n"), HasSubstr("5: '3' is no bead"));
  EXPECT_THAT(refusal(beads + "[bonds]\n1 1 0.38 8033\n"), HasSubstr("bead 1 twice"));
  EXPECT_THAT(refusal(beads + "[bonds]\n1 2 0.38 0\n"), HasSubstr("k = 0"));
  EXPECT_THAT(refusal(beads + "[springs]\n1 2 -0.38 1\n"), HasSubstr("negative length"));
  EXPECT_THAT(refusal(beads + "[angles]\n1 2 1 3 4\n"), HasSubstr("twice"));
  EXPECT_THAT(refusal(beads + "[contacts]\n1 2 0 4\n"), HasSubstr("the distance = 0"));
  EXPECT_THAT(refusal(beads + "[local_pairs]\n1 2 1 0 1 2 0 4\n"), HasSubstr("sigma = 0"));
  EXPECT_THAT(refusal(beads + "[exclusions]\n1\n"), HasSubstr("1 fields in a row of 2"));
}

TEST(MoleculeFile, UnknownBeadIsNamed) {
  const auto model = make_model();
  EXPECT_THROW((void)build_molecule(parse_molecule("[beads]\nXYZ 0 0\n", "a"), "a", "a", model),
               core::InputError);
}

Topology two_copies() {
  const auto model = make_model();
  return assemble({{build_molecule(parse_molecule(molecule_text, "a"), "a", "a", model), "a", 2}},
                  0);
}

TEST(Restraints, JoinBeadsOfDifferentMolecules) {
  auto t = two_copies();
  const auto before = t.exclusions.size();
  add_restraints("[springs]\na.1:2 a.2:4 6.5 12\n[contacts]\na.1:1 a.2:1 0.6 5\n", "r", t);
  EXPECT_EQ(t.restraints.size(), 3U);
  const Bond spring = t.restraints.back();
  EXPECT_EQ(spring.i, 1);
  EXPECT_EQ(spring.j, 7);
  EXPECT_EQ(t.contacts_12_10.size(), 3U);
  EXPECT_EQ(t.exclusions.size(), before + 2);
}

TEST(Restraints, RowsOfFieldsAreRead) {
  auto t = two_copies();
  add_restraints("[fields]\nall xy 6 7 0 3 3 1 0 0\na z 0 0 5 0 0 0 0.02 1000\n", "r", t);
  ASSERT_EQ(t.fields.size(), 2U);
  EXPECT_EQ(t.fields[0].value_at(5).energy, 2);
  EXPECT_EQ(t.fields[0].until_step, bias::ExternalField::forever);
  EXPECT_EQ(t.fields[1].until_step, 1000);
  EXPECT_EQ(t.fields[1].axes, (std::array{false, false, true}));
  for (const char* row : {"b xy 0 0 0 0 0 1 0 0", "a w 0 0 0 0 0 1 0 0", "a xy 0 0 0 0 0 1 0 -1",
                          "a xy 0 0 0 0 0 1 0", "a xy 0 0 0 0 0 inf 0 0"}) {
    EXPECT_THROW(add_restraints(std::string("[fields]\n") + row, "r", t), core::InputError) << row;
  }
}

TEST(Restraints, FieldsChangeTheHash) {
  auto t = two_copies();
  const auto before = hash_topology(t);
  add_restraints("[fields]\nall xy 6 7 0 3 3 1 0 0\n", "r", t);
  EXPECT_NE(hash_topology(t), before);
}

}  // namespace
}  // namespace nfold::topology
