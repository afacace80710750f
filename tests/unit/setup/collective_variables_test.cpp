// Names of residues in an input, and biases on them.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/collective_variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/input_error.hpp"

namespace nfold::setup {
namespace {

using bias::VariableKind;
using testing::ElementsAre;
using testing::HasSubstr;

/// Chain A of residues -1, 1, 2, 3 and chain B of 1 and 2. B is another molecule.
topology::Topology two_chains() {
  topology::Topology t;
  t.chains = {{"A", 0, 4, 0, 0}, {"B", 4, 2, 0, 1}};
  int id = 0;
  for (const int number : {-1, 1, 2, 3, 1, 2}) {
    topology::Residue residue{"GLY", number};
    residue.chain = id++ < 4 ? 0 : 1;
    t.residues.push_back(residue);
  }
  return t;
}

std::vector<int> distance(const std::vector<std::string>& names) {
  return make_variable(VariableKind::distance, names, two_chains(), "bias.residues").residues;
}

TEST(ResidueNames, SelectResiduesOfTheStructure) {
  EXPECT_THAT(distance({"A:3", "B:1"}), ElementsAre(3, 4));
  EXPECT_THAT(distance({"A:-1", "A:1"}), ElementsAre(0, 1));
  EXPECT_THAT(distance({"A:1-2"}), ElementsAre(1, 2));
  EXPECT_THAT(distance({"A:-1-1"}), ElementsAre(0, 1));
  EXPECT_THAT(distance({"B"}), ElementsAre(4, 5));
  EXPECT_THAT(distance({"A:3,B:1"}), ElementsAre(3, 4));
  auto one = two_chains();
  one.chains.pop_back();
  one.residues.items().resize(4);
  EXPECT_THAT(make_variable(VariableKind::distance, {"3", "-1"}, one, "key").residues,
              ElementsAre(3, 0));
}

void expect_refused(const std::vector<std::string>& names, const std::string& why,
                    const topology::Topology& topology = two_chains(),
                    VariableKind kind = VariableKind::distance) {
  try {
    (void)make_variable(kind, names, topology, "bias.residues");
    FAIL() << why;
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("bias.residues"));
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(ResidueNames, InvalidNamesAreRefused) {
  expect_refused({"A:9", "A:1"}, "'A:9': chain A has no residue 9; its residues are -1 to 3");
  expect_refused({"A:3-9"}, "the structure lacks residues of A:3-9");
  expect_refused({"C:1", "A:1"}, "'C:1': no chain 'C'; there are: A, B");
  expect_refused({"1", "2"}, "'1': which of the 2 chains?");
  expect_refused({"A:2-1", "A:1"}, "'A:2-1': range '2-1' runs backwards");
  expect_refused({"A:one", "A:1"}, "'A:one': 'one' is not a residue number");
  expect_refused({"A:1", "A:1"}, "both residues are the same");
  expect_refused({"A:1-3", "A:2"}, "stands there twice");
  expect_refused({"A"}, "4 residues for a distance");
  const auto size = VariableKind::radius_of_gyration;
  expect_refused({"A:1"}, "1 residues for a radius-of-gyration", two_chains(), size);
  auto boxed = two_chains();
  EXPECT_EQ(make_variable(size, {"A", "B"}, boxed, "key").residues.size(), 6U);
  boxed.box.length_nm = {20, 20, 0};
  expect_refused({"A", "B"}, "several molecules in a periodic box", boxed, size);
  EXPECT_EQ(make_variable(size, {"A"}, boxed, "key").residues.size(), 4U);
}

TEST(Bias, BecomesASpringOrABias) {
  auto t = two_chains();
  input::Settings settings;
  EXPECT_TRUE(add_biases(settings, t).empty());
  auto& one = settings.bias;
  one.residues = {"A:1", "B:2"};
  one.centre_nm = 1.5;
  one.k_kj_mol_nm2 = 30;
  const std::string harmonic =
      "bias: harmonic on the distance of A:1, B:2, 30 kJ/mol/nm^2 about 1.5 nm";
  EXPECT_EQ(add_biases(settings, t), std::vector{harmonic});
  EXPECT_TRUE(t.restraints.empty());
  ASSERT_EQ(t.bias_springs.size(), 1U);
  EXPECT_EQ(t.bias_springs[0].k_kj_mol_nm2, 30);
  EXPECT_TRUE(t.biases.empty());
  const auto hash = hash_topology(t);
  one.form = bias::BiasForm::linear;
  one.pull_kj_mol_nm = -12;
  const std::string linear = "bias: linear on the distance of A:1, B:2, -12 kJ/mol/nm";
  EXPECT_EQ(add_biases(settings, t), std::vector{linear});
  ASSERT_EQ(t.biases.size(), 1U);
  EXPECT_EQ(t.biases[0].k, -12);
  EXPECT_NE(hash_topology(t), hash);
}

TEST(Bias, SeveralBiasesAreAdded) {
  auto t = two_chains();
  input::Settings settings;
  settings.bias.residues = {"A:1", "B:2"};
  auto& other = settings.more_biases.emplace_back();
  other.residues = {"A"};
  other.variable = bias::VariableKind::radius_of_gyration;
  EXPECT_EQ(add_biases(settings, t).size(), 2U);
  ASSERT_EQ(t.biased_variables.size(), 2U);
  EXPECT_EQ(t.biased_variables[0].kind, bias::VariableKind::distance);
  EXPECT_EQ(t.biased_variables[1].residues.size(), 4U);
  other.residues = {"C"};
  try {
    (void)add_biases(settings, t);
    FAIL() << "not refused";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("bias.more[0].residues"));
  }
}

}  // namespace
}  // namespace nfold::setup
