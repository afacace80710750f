// Folded domains that an input names or that a structure contains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/folded_domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/structure/fasta.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;
using testing::ElementsAre;
using testing::HasSubstr;

std::string domain_error(const structure::Structure& s, const std::vector<std::string>& domains) {
  try {
    (void)folded_domains(s, domains);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

TEST(FoldedDomains, TakesRangesByNumber) {
  auto s = structure::make_sequence_structure("p", "GGGGGGGG");
  EXPECT_THAT(folded_domains(s, {}), ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(folded_domains(s, {"2-3,6", "7-8"}), ElementsAre(-1, 0, 0, -1, -1, 0, 1, 1));
  for (auto& residue : s.chains[0].residues) residue.number -= 5;  // -4 to 3
  EXPECT_THAT(folded_domains(s, {"-4--2"}), ElementsAre(0, 0, 0, -1, -1, -1, -1, -1));
  s.chains.push_back(s.chains[0]);
  s.chains[1].name = "B";
  EXPECT_THAT(folded_domains(s, {"B:1-3"}),
              ElementsAre(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0));
}

TEST(FoldedDomains, InsertionCodeBelongsToItsNumber) {
  auto s = structure::make_sequence_structure("p", "GGGG");
  s.chains[0].residues[2].number = 2;
  s.chains[0].residues[2].insertion_code = 'A';
  EXPECT_THAT(folded_domains(s, {"1-2"}), ElementsAre(0, 0, 0, -1));
}

TEST(FoldedDomains, MaySpanChains) {
  auto s = structure::make_sequence_structure("p", "GGG");
  s.chains.push_back(s.chains[0]);
  s.chains[1].name = "B";
  EXPECT_THAT(folded_domains(s, {"A:2-3,B:1"}), ElementsAre(-1, 0, 0, 0, -1, -1));
}

TEST(FoldedDomains, ErrorsNameDomainAndResidue) {
  auto s = structure::make_sequence_structure("species p", "GGGGGGGG");
  EXPECT_THAT(domain_error(s, {"5-12"}),
              HasSubstr("species p: domain '5-12': the structure lacks residues of A:5-12"));
  EXPECT_THAT(domain_error(s, {"9-12"}),
              HasSubstr("species p: domain '9-12': chain A has no residue 9-12; its residues are 1 "
                        "to 8"));
  EXPECT_THAT(domain_error(s, {"1-4", "4-6"}), HasSubstr("residue GLY 4 is in domain 1 already"));
  EXPECT_THAT(domain_error(s, {"1-4,2-3"}), HasSubstr("residue GLY 2 is in domain 1 already"));
  EXPECT_THAT(domain_error(s, {"4-2"}), HasSubstr("range '4-2' runs backwards"));
  EXPECT_THAT(domain_error(s, {"a-b"}), HasSubstr("no chain 'a-b'"));
  EXPECT_THAT(domain_error(s, {"1-2,"}), HasSubstr("'' is not a residue number"));
  EXPECT_THAT(domain_error(s, {"1-2,,3-4"}), HasSubstr("'' is not a residue number"));
  EXPECT_THAT(domain_error(s, {"C:1-2"}), HasSubstr("no chain 'C'"));
  EXPECT_THAT(domain_error(s, {"A:"}), HasSubstr("'' is not a residue number"));
  EXPECT_THAT(domain_error(s, {"1-99999999999999999999"}), HasSubstr("is not a residue number"));
  s.chains.push_back(s.chains[0]);
  s.chains[1].name = "B";
  EXPECT_THAT(domain_error(s, {"1-2"}),
              HasSubstr("which of the 2 chains? There are: A, B; write A:1-2"));
}

TEST(FindDomains, ExcludesUbiquitinTail) {
  const auto s = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  const auto domain_index = find_domains(s);
  EXPECT_EQ(domain_index, folded_domains(s, {"auto"}));
  // The fold ends with the last strand, whose last residues are 70 to 72; 73 to 76 hang out.
  for (int i = 0; i < 70; ++i) EXPECT_EQ(domain_index[static_cast<std::size_t>(i)], 0) << i + 1;
  for (int i = 73; i < 76; ++i) EXPECT_EQ(domain_index[static_cast<std::size_t>(i)], -1) << i + 1;
}

TEST(FindDomains, SeparatesDistantParts) {
  auto s = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  auto far = s.chains[0].residues;
  for (auto& residue : far) residue.calpha_nm[0] += 10;
  auto& residues = s.chains[0].residues;
  residues.insert(residues.end(), far.begin(), far.end());
  const auto domain_index = find_domains(s);
  EXPECT_EQ(domain_index[10], 0);
  EXPECT_EQ(domain_index[75], -1);
  EXPECT_EQ(domain_index[86], 1);
  EXPECT_EQ(*std::max_element(domain_index.begin(), domain_index.end()), 1);
}

std::size_t residue_count(const structure::Structure& s) {
  std::size_t count = 0;
  for (const auto& chain : s.chains) count += chain.residues.size();
  return count;
}

int domain_count(const std::vector<int>& domain_index) {
  return 1 + *std::max_element(domain_index.begin(), domain_index.end());
}

// Both domains of an antibody's light chain, V and C, with the switch at residues 107 to 111
// (Edelman, Biochemistry 9, 3197 (1970)).
TEST(FindDomains, SeparatesTouchingLobes) {
  const auto s = structure::read_structure(NFOLD_STRUCTURES "/1a0q.pdb.gz", {1, {"L"}});
  const auto domain_index = find_domains(s);
  EXPECT_EQ(domain_count(domain_index), 2);
  for (std::size_t i = 0; i < domain_index.size(); ++i) {
    const int number = s.chains[0].residues[i].number;
    if (number >= 4 && number <= 105) {
      EXPECT_EQ(domain_index[i], 0) << number;
    }
    if (number >= 113 && number <= 208) {
      EXPECT_EQ(domain_index[i], 1) << number;
    }
  }
}

TEST(FindDomains, KeepsCompactProteinsWhole) {
  for (const char* file : {"1hpv.pdb.gz", "trypsin_1hj8_a.pdb.gz", "dehydrogenase_1bmd_B.pdb.gz"}) {
    const auto s = structure::read_structure(std::string(NFOLD_STRUCTURES "/") + file, {1, {}});
    EXPECT_EQ(domain_count(find_domains(s)), static_cast<int>(s.chains.size())) << file;
  }
}

TEST(FindDomains, DomainsHaveOneChainAndTwentyResidues) {
  for (const char* file : {"1hpv.pdb.gz", "2xhe.cif.gz", "7cfn.cif.gz", "1a0q.pdb.gz"}) {
    const auto s = structure::read_structure(std::string(NFOLD_STRUCTURES "/") + file, {1, {}});
    const auto domain_index = find_domains(s);
    ASSERT_EQ(domain_index.size(), residue_count(s)) << file;
    EXPECT_GE(domain_count(domain_index), 1) << file;
    std::map<int, std::map<std::size_t, int>> sizes;  // by domain and chain
    std::size_t i = 0;
    for (std::size_t c = 0; c < s.chains.size(); ++c) {
      for (std::size_t k = 0; k < s.chains[c].residues.size(); ++k) ++sizes[domain_index[i++]][c];
    }
    for (const auto& [domain, chain_sizes] : sizes) {
      if (domain < 0) continue;
      EXPECT_EQ(chain_sizes.size(), 1U) << file << " domain " << domain;
      EXPECT_GE(chain_sizes.begin()->second, 20) << file << " domain " << domain;
    }
  }
}

TEST(FindDomains, SingleHelixIsNoDomain) {
  structure::Structure s = structure::make_sequence_structure("helix", std::string(60, 'A'));
  for (std::size_t i = 0; i < 60; ++i) {
    const double turn = 100.0 / 180 * 3.14159265358979 * static_cast<double>(i);
    s.chains[0].residues[i].calpha_nm = {0.23 * std::cos(turn), 0.23 * std::sin(turn),
                                         0.15 * static_cast<double>(i)};
  }
  EXPECT_EQ(find_domains(s), std::vector<int>(60, -1));
}

}  // namespace
}  // namespace nfold::topology
