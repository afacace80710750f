// Force fields without a kernel of their own: which list a term belongs to, and its values.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/tabulated_terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "model/structure/structure.hpp"
#include "model/topology/potentials.hpp"

namespace nfold::topology {
namespace {

input::ForceField field_of(const std::string& text) {
  return input::evaluate(*input::read_force_field(text, "own.yaml"), {}, {});
}
/// Returns energies of both lists between two beads at a distance.
std::pair<double, double> energies(const input::ForceField& field, const TabulatedTerms& terms,
                                   const char* a, const char* b, double r) {
  const int i = field.find_bead(a), j = field.find_bead(b);
  const double charge = terms.charges == nullptr   ? 0
                        : terms.multiplies_charges ? terms.charges->value(0, 0, r).energy
                                                   : terms.charges->value(i, j, r).energy;
  return {terms.pairs->value(i, j, r).energy, charge};
}

constexpr const char* chains =
    "chains: {protein: {bonds: [{length_nm: 0.38, k_kj_mol_nm2: 8033}]}}\n";
constexpr const char* cation_pi =
    "extends: hps-kr\ngroups: {cation: [ARG, LYS], aromatic: [PHE, TRP, TYR]}\n"
    "pair_terms:\n  cation_pi: {form: lennard-jones, between: [cation, aromatic], "
    "epsilon_kj_mol: 3.138, mix: {sigma_nm: mean}, cutoff_nm: 2}\n";
constexpr const char* yukawa =
    "beads: {AA: {mass_amu: 100, charge_e: 1}, BB: {mass_amu: 100, charge_e: -1},"
    " CC: {mass_amu: 100, charge_e: 0}}\n"
    "pair_terms:\n"
    "  contact: {form: wang-frenkel, rows: [epsilon_kj_mol, sigma_nm, mu], cutoff_nm: 3*sigma}\n"
    "  screened: {form: yukawa, rows: [a_kj_mol_nm], length_nm: 0.79, cutoff_nm: 3.5, others: "
    "none}\n"
    "pairs:\n"
    "  contact: [[AA, AA, 1, 0.5, 3], [AA, BB, 0.2, 0.55, 9], [BB, BB, -0.4, 0.6, 2],"
    " [AA, CC, 1, 0.5, 2], [BB, CC, 1, 0.5, 2], [CC, CC, 1, 0.5, 2]]\n";

TEST(TabulatedTerms, BuiltInForceFieldsNeedNone) {
  for (const auto name : input::builtin_force_field_names()) {
    if (name != "calvados2" && name != "mpipi" && name != "kim-hummer" && name != "hps-urry")
      continue;
    EXPECT_EQ(make_tables(input::evaluate(*input::builtin_force_field(name), {}, {})), nullptr)
        << name;
  }
}

TEST(TabulatedTerms, SumsSeveralTerms) {  // models.md 10, R-Y
  const auto field = field_of(cation_pi);
  const auto terms = make_tables(field);
  ASSERT_NE(terms, nullptr);
  EXPECT_EQ(terms->charges, nullptr);
  EXPECT_NEAR(energies(field, *terms, "ARG", "TYR", 0.7).first, -3.1563960718, 3e-10);
  const auto short_range = tabulated_short_range(*terms);
  EXPECT_EQ(short_range.form, ShortRangeForm::tabulated);
  EXPECT_EQ(short_range.cutoff_nm, 2);
  EXPECT_LE(terms->pairs->curves.force_error, 1e-6);
  EXPECT_THAT(describe_tables(field, *terms), testing::HasSubstr("tables of contact, cation_pi"));
}

TEST(TabulatedTerms, YukawaBetweenChargesIsInTheirList) {
  const std::string text = std::string(chains) + yukawa;
  const auto field = field_of(text + "  screened: [[AA, BB, -2], [AA, AA, 1.7], [BB, BB, 1.7]]\n");
  const auto terms = make_tables(field);
  ASSERT_NE(terms, nullptr);
  ASSERT_NE(terms->charges, nullptr);
  EXPECT_FALSE(terms->multiplies_charges);
  EXPECT_NEAR(energies(field, *terms, "AA", "BB", 0.9).second, -2 / 0.9 * std::exp(-0.9 / 0.79),
              1e-12);
  EXPECT_NEAR(terms->pairs->curves.cutoff_nm, 1.8, 1e-12);
  const auto charges = tabulated_charges(*terms);
  EXPECT_TRUE(charges.acts());
  EXPECT_EQ(charges.cutoff_nm, 3.5);
  // A neutral bead that takes part: the list of all beads must hold the term.
  const auto neutral = field_of(text + "  screened: [[AA, CC, -2], [AA, BB, -2]]\n");
  const auto all = make_tables(neutral);
  EXPECT_EQ(all->charges, nullptr);
  EXPECT_EQ(all->pairs->curves.cutoff_nm, 3.5);
}

TEST(TabulatedTerms, RefusesFunctionsThatNoTableHolds) {
  const std::string text =
      std::string(chains) +
      "beads: {AA: {mass_amu: 100, charge_e: 0}}\n"
      "pair_terms: {own: {form: expression, energy: 1/(r - 0.83), cutoff_nm: 1.5}}\n";
  EXPECT_THAT([&] { (void)tabulate_terms(field_of(text)); },
              testing::ThrowsMessage<structure::StructureError>(
                  testing::AllOf(testing::HasSubstr("pair_terms own"), testing::HasSubstr("AA AA"),
                                 testing::HasSubstr("r = 0.8"))));
}

}  // namespace
}  // namespace nfold::topology
