// Charge decoration and segregation against closed forms and published sequences.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/chain_charges.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "chains.hpp"

namespace nfold::analysis {
namespace {

ChainCharges charges_of(const std::vector<double>& charges) {
  auto topology = analysis_tests::chains_of({{1, static_cast<int>(charges.size())}});
  for (std::size_t i = 0; i < charges.size(); ++i) {
    topology.residues.items()[i].charge_e = charges[i];
  }
  return chain_charges(topology);
}

double kappa(const std::string& sequence) {
  std::vector<double> charges;
  for (const char letter : sequence)
    charges.push_back(letter == 'E' ? -1 : (letter == 'K' ? 1 : 0));
  return charges_of(charges).kappa;
}

TEST(ChainCharges, DecorationDistinguishesBlocksFromMixture) {
  const auto mixed = charges_of({1, -1, 1, -1}), blocks = charges_of({1, 1, -1, -1});
  EXPECT_DOUBLE_EQ(mixed.decoration, (-3 + 2 * std::sqrt(2.0) - std::sqrt(3.0)) / 4);
  EXPECT_DOUBLE_EQ(blocks.decoration, (2 - 1 - 2 * std::sqrt(2.0) - std::sqrt(3.0)) / 4);
  EXPECT_EQ(mixed.net, 0);
  EXPECT_EQ(mixed.positive, 0.5);
  EXPECT_EQ(mixed.negative, 0.5);
}

// Sequences sv1, sv2 and sv30 of Das and Pappu (2013), with their kappa to four digits.
TEST(ChainCharges, KappaMatchesPublishedSequences) {
  std::string alternating, threes;
  for (int k = 0; k < 25; ++k) alternating += "EK";
  for (int k = 0; k < 8; ++k) threes += "EEEKKK";
  EXPECT_NEAR(kappa(alternating), 0.0009, 5e-5);
  EXPECT_NEAR(kappa(threes + "EK"), 0.0025, 1e-4);
  EXPECT_DOUBLE_EQ(kappa(std::string(25, 'E') + std::string(25, 'K')), 1);
}

TEST(ChainCharges, KappaIsAtMostOneWithNeutralResidues) {
  const std::string few = "EEEEGGGKKKK", many = "EEEEEE" + std::string(40, 'G') + "KKKKKK";
  EXPECT_DOUBLE_EQ(kappa("GG" + few), kappa(std::string(few.rbegin(), few.rend()) + "GG"));
  EXPECT_LE(kappa(few), 1);
  EXPECT_LE(kappa(many), 1);
  EXPECT_GT(kappa(many), 0.5);
}

TEST(ChainCharges, KappaNeedsBothSigns) {
  EXPECT_TRUE(std::isnan(kappa("EEEEEEEEEE")));
  EXPECT_TRUE(std::isnan(kappa("EKEK")));
}

}  // namespace
}  // namespace nfold::analysis
