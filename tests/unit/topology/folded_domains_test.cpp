// Folded domains: the texts of an input, and those found in a structure.
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/folded_domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "structure/fasta.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;
using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const structure::Structure& s, const std::vector<std::string>& domains) {
  try {
    (void)folded_domains(s, domains);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

TEST(FoldedDomains, TakesRangesByNumber) {
  auto s = structure::structure_of_sequence("p", "GGGGGGGG");
  EXPECT_THAT(folded_domains(s, {}), ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(folded_domains(s, {"2-3,6-6", "7-8"}), ElementsAre(-1, 0, 0, -1, -1, 0, 1, 1));
  for (auto& residue : s.chains[0].residues) residue.number -= 5;  // -4 to 3
  EXPECT_THAT(folded_domains(s, {"-4--2"}), ElementsAre(0, 0, 0, -1, -1, -1, -1, -1));
  s.chains.push_back(s.chains[0]);
  s.chains[1].name = "B";
  EXPECT_THAT(folded_domains(s, {"B:1-3"}),
              ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0));
}

TEST(FoldedDomains, AnInsertionCodeBelongsToItsNumber) {
  auto s = structure::structure_of_sequence("p", "GGGG");
  s.chains[0].residues[2].number = 2;
  s.chains[0].residues[2].insertion_code = 'A';
  EXPECT_THAT(folded_domains(s, {"1-2"}), ElementsAre(0, 0, 0, -1));
}

TEST(FoldedDomains, ErrorsNameDomainAndResidue) {
  auto s = structure::structure_of_sequence("species p", "GGGGGGGG");
  EXPECT_THAT(
      error_of(s, {"5-12"}),
      HasSubstr("species p: domain '5-12': chain A has no residue 12; its residues are 1 to "
                "8"));
  EXPECT_THAT(error_of(s, {"1-4", "4-6"}), HasSubstr("residue GLY 4 is in domain 1 already"));
  EXPECT_THAT(error_of(s, {"1-4,2-3"}), HasSubstr("residue GLY 2 is in domain 1 already"));
  EXPECT_THAT(error_of(s, {"4-2"}), HasSubstr("4 is after 2"));
  EXPECT_THAT(error_of(s, {"4"}), HasSubstr("'4' is no range"));
  EXPECT_THAT(error_of(s, {"a-b"}), HasSubstr("'a' is no residue number"));
  EXPECT_THAT(error_of(s, {"1-2,"}), HasSubstr("nothing behind the last comma"));
  EXPECT_THAT(error_of(s, {"1-2,,3-4"}), HasSubstr("'' is no range"));
  EXPECT_THAT(error_of(s, {"C:1-2"}), HasSubstr("no chain 'C'"));
  EXPECT_THAT(error_of(s, {"A:"}), HasSubstr("no range"));
  EXPECT_THAT(error_of(s, {"1-99999999999999999999"}), HasSubstr("is no residue number"));
  s.chains.push_back(s.chains[0]);
  EXPECT_THAT(error_of(s, {"1-2"}), HasSubstr("which of the 2 chains?; write A:1-2"));
}

TEST(FindDomains, LeavesUbiquitinsTailOut) {
  const auto s = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  const auto domain_of = find_domains(s);
  EXPECT_EQ(domain_of, folded_domains(s, {"auto"}));
  // The fold ends with the last strand, whose last residues are 70 to 72; 73 to 76 hang out.
  for (int i = 0; i < 70; ++i) EXPECT_EQ(domain_of[static_cast<std::size_t>(i)], 0) << i + 1;
  for (int i = 73; i < 76; ++i) EXPECT_EQ(domain_of[static_cast<std::size_t>(i)], -1) << i + 1;
}

TEST(FindDomains, TellsApartWhatDoesNotTouch) {
  auto s = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  auto far = s.chains[0].residues;
  for (auto& residue : far) residue.calpha_nm[0] += 10;
  auto& residues = s.chains[0].residues;
  residues.insert(residues.end(), far.begin(), far.end());
  const auto domain_of = find_domains(s);
  EXPECT_EQ(domain_of[10], 0);
  EXPECT_EQ(domain_of[75], -1);
  EXPECT_EQ(domain_of[86], 1);
  EXPECT_EQ(*std::max_element(domain_of.begin(), domain_of.end()), 1);
}

TEST(FindDomains, AHelixAloneIsNone) {
  structure::Structure s = structure::structure_of_sequence("helix", std::string(60, 'A'));
  for (std::size_t i = 0; i < 60; ++i) {
    const double turn = 100.0 / 180 * 3.14159265358979 * static_cast<double>(i);
    s.chains[0].residues[i].calpha_nm = {0.23 * std::cos(turn), 0.23 * std::sin(turn),
                                         0.15 * static_cast<double>(i)};
  }
  for (const int domain : find_domains(s)) EXPECT_EQ(domain, -1);
}

}  // namespace
}  // namespace nfold::topology
