// Mutations of sequences and structures, and refusals of their texts.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/mutation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/structure/fasta.hpp"

namespace nfold::structure {
namespace {

using testing::HasSubstr;

/// Chains A and B with numbers from 1, MKSRT each; number 3 of B has the insertion code A.
Structure two_chains() {
  auto s = make_sequence_structure("p", "MKSRT");
  s.chains.push_back(s.chains[0]);
  s.chains[1].name = "B";
  s.chains[1].residues[2].insertion_code = 'A';
  return s;
}

std::string mutation_error(Structure s, const std::vector<std::string>& mutations) {
  try {
    mutate(s, mutations);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

TEST(Mutations, KeepParentsOfNames) {
  auto s = two_chains();
  mutate(s, {"A:R4K", "A:S3=SEP", "B:SER3A=PEG", "B:K2R"});
  EXPECT_EQ(s.chains[0].residues[3].name, "LYS");
  EXPECT_EQ(s.chains[0].residues[3].file_name, "LYS");
  EXPECT_FALSE(s.chains[0].residues[3].is_named);
  EXPECT_EQ(s.chains[0].residues[2].name, "SER");
  EXPECT_EQ(s.chains[0].residues[2].file_name, "SEP");
  EXPECT_TRUE(s.chains[0].residues[2].is_named);
  EXPECT_EQ(s.chains[1].residues[2].name, "PEG");
  EXPECT_EQ(s.chains[1].residues[1].name, "ARG");
  EXPECT_EQ(s.chains[1].residues[3].name, "ARG");
  EXPECT_THAT(s.notes, testing::ElementsAre(HasSubstr("mutated residues: 4 (A:R4K, A:S3=SEP")));
}

TEST(Mutations, NeedNoChainIfThereIsOne) {
  auto s = make_sequence_structure("p", "MKSRT");
  mutate(s, {"S3D", "T5=TPO"});
  EXPECT_EQ(s.chains[0].residues[2].name, "ASP");
  EXPECT_EQ(s.chains[0].residues[4].file_name, "TPO");
  EXPECT_NE(mutation_error(two_chains(), {"S3D"}), "");
}

TEST(Mutations, NucleotidesMutateByLetter) {
  auto s = make_sequence_structure("r", "GAU", "rna");
  mutate(s, {"U3=C", "G1A"});
  EXPECT_EQ(s.chains[0].residues[2].name, "C");
  EXPECT_EQ(s.chains[0].residues[0].name, "A");
}

TEST(Mutations, RefuseOtherTexts) {
  const auto error = [](const std::string& text) { return mutation_error(two_chains(), {text}); };
  for (const char* text : {"", "A:", ":R4K", "R4", "A:4K", "A:RK", "A:R4=", "A:R4AAK", "A:R4 K",
                           "A:R-K", "A:R4=S P", "A:R4?K"}) {
    EXPECT_THAT(error(text), HasSubstr("as in A:R65K or A:S26=SEP")) << text;
  }
  EXPECT_THAT(error("A:K4R"),
              HasSubstr("p: mutation 'A:K4R': the residue there is ARG 4 (chain A)"));
  EXPECT_NE(error("A:R99K"), "");
  EXPECT_NE(error("C:R4K"), "");
  EXPECT_THAT(mutation_error(two_chains(), {"A:R4K", "A:R4G"}), HasSubstr("for the second time"));
}

}  // namespace
}  // namespace nfold::structure
