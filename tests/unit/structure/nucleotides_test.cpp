// Nucleotides of PDB and mmCIF files: chains, positions, bonds, names.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/structure/residue_kind.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr Selection with_nucleotides{1, {}, true};

// Two nucleotides of a duplex with the atoms that define its beads; the first has no P.
constexpr const char* rna =
    "ATOM      1  O5'   G A   1       2.903   7.842  -4.131  1.00  0.00           O\n"
    "ATOM      2  C1'   G A   1       7.042   5.573  -2.021  1.00  0.00           C\n"
    "ATOM      3  N9    G A   1       6.252   3.923  -1.807  1.00  0.00           N\n"
    "ATOM      4  P     A A   2      -1.764   8.499  -0.963  1.00  0.00           P\n"
    "ATOM      5  C1'   A A   2       2.804   8.461   0.910  1.00  0.00           C\n"
    "ATOM      6  N9    A A   2       3.201   6.724   1.259  1.00  0.00           N\n"
    "ATOM      7  P   PSU A   3      30.096   6.131   1.613  1.00  0.00           P\n"
    "TER       8      PSU A   3\n"
    "ATOM      9  P    DT B   1      -5.151  -7.239  10.382  1.00  0.00           P\n"
    "END\n";

TEST(Nucleotides, FormChainsByTheirBackbone) {
  const auto s = parse_structure(rna, "r.pdb", with_nucleotides);
  ASSERT_EQ(s.chains.size(), 2U);
  EXPECT_EQ(s.chains[0].kind, "rna");
  EXPECT_EQ(s.chains[1].kind, "dna");
  const auto& residues = s.chains[0].residues;
  ASSERT_EQ(residues.size(), 3U);
  EXPECT_EQ(residues[0].name, "G");
  EXPECT_NEAR(residues[0].calpha_nm[0], 0.2903, 1e-12);
  EXPECT_NEAR(residues[1].calpha_nm[1], 0.8499, 1e-12);
  EXPECT_TRUE(residues[0].bonded_to_next);
  EXPECT_FALSE(residues[1].bonded_to_next);  // 3.2 nm
  EXPECT_EQ(residues[2].name, "U");
  EXPECT_EQ(residues[2].file_name, "PSU");
  EXPECT_EQ(s.chains[1].residues[0].name, "T");
  EXPECT_THAT(s.notes, Contains(HasSubstr("chain broken where neighbours are not bonded")));
  EXPECT_THAT(s.notes, Contains(HasSubstr("nucleotides without P, placed at the next atom of the "
                                          "backbone: 1 (G 1 (chain A))")));
  EXPECT_THAT(s.notes, Contains(HasSubstr("other names, which count as these where the force field "
                                          "lacks them: 1 (PSU 3 (chain A) as U)")));
}

TEST(Nucleotides, AreLeftOutUnlessSelected) {
  try {
    (void)parse_structure(rna, "r.pdb");
    FAIL() << "accepted";
  } catch (const StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("4 nucleic acid residues"));
    EXPECT_THAT(error.what(), HasSubstr("or a force field with nucleotides"));
  }
}

TEST(Nucleotides, StandBesideProteins) {
  const std::string path = NFOLD_STRUCTURES "/1lcd.cif.gz";
  const auto protein = read_structure(path);
  const auto both = read_structure(path, with_nucleotides);
  EXPECT_EQ(both.residue_count(), protein.residue_count() + 22);
  int dna = 0;
  for (const auto& chain : both.chains) {
    if (chain.kind != "dna") continue;
    ++dna;
    EXPECT_EQ(chain.residues.size(), 11U);
    for (std::size_t i = 0; i + 1 < chain.residues.size(); ++i) {
      EXPECT_TRUE(chain.residues[i].bonded_to_next) << chain.name << i;
    }
  }
  EXPECT_EQ(dna, 2);
}

TEST(Nucleotides, HaveLettersOfTheirParents) {
  const auto letter = [](const char* name) {
    const auto found = find_nucleotide(name);
    return found ? std::string(1, found->letter) + (found->is_dna ? "d" : "r") : "none";
  };
  EXPECT_EQ(letter("A"), "Ar");
  EXPECT_EQ(letter("DG"), "Gd");
  EXPECT_EQ(letter("T"), "Td");
  EXPECT_EQ(letter("PSU"), "Ur");
  EXPECT_EQ(letter("RU5"), "Ur");
  EXPECT_EQ(letter("C3"), "Cr");
  EXPECT_EQ(letter("DA3"), "Ad");
  EXPECT_EQ(letter("ALA"), "none");
  EXPECT_EQ(letter("HOH"), "none");
  EXPECT_EQ(letter("N"), "none");
}

}  // namespace
}  // namespace nfold::structure
