// FASTA files and sequences: accepted texts and positions of errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/fasta.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nfold::structure {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

std::string fasta_error(const std::string& text) {
  try {
    (void)parse_fasta(text, "a.fasta");
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

TEST(Fasta, ReadsRecordsCommentsAndLineEnds) {
  const auto records = parse_fasta(
      "; a comment\r\n>one first protein\r\nMKV gg\r\nSS*\r\n\r\n>two\n\nac\tDE\n;none\nF\n",
      "a.fasta");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].name, "one");
  EXPECT_EQ(records[0].sequence, "MKVggSS");
  EXPECT_EQ(records[0].line, 2);
  EXPECT_EQ(records[1].name, "two");
  EXPECT_EQ(records[1].sequence, "acDEF");
  EXPECT_EQ(parse_fasta(">x\nG", "a.fasta").front().sequence, "G");
  EXPECT_EQ(parse_fasta("\xef\xbb\xbf>x\nG", "a.fasta").front().sequence,
            "G");  // byte-order mark of Windows
}

TEST(Fasta, ErrorsNameLineAndColumn) {
  EXPECT_THAT(fasta_error(">p\nMKV\nGXG\n"),
              HasSubstr("a.fasta:3:2: 'X' stands for no residue of 'p'"));
  EXPECT_THAT(fasta_error(">p\nMUV\n"), HasSubstr("put in the nearest of"));
  EXPECT_THAT(fasta_error(">p\nM-V\n"), HasSubstr("a gap of an alignment"));
  EXPECT_THAT(fasta_error(">p\nM1V\n"), HasSubstr("a.fasta:2:2: '1'"));
  EXPECT_THAT(fasta_error(">p\nM\xffV\n"), HasSubstr("byte 0xff"));
  EXPECT_THAT(fasta_error(">p\nM\0V\n"s), HasSubstr("byte 0x00"));
  EXPECT_THAT(fasta_error("MKV\n"), HasSubstr("a.fasta:1:1: 'M' before the first header"));
  EXPECT_THAT(fasta_error(">p\nMK*V\n"), HasSubstr("a.fasta:2:4: the sequence goes on after '*'"));
  EXPECT_THAT(fasta_error(">p\n>q\nMK\n"), HasSubstr("a.fasta:1: record 'p' has no sequence"));
  EXPECT_THAT(fasta_error(">p\nMK\n>q\n*\n"), HasSubstr("a.fasta:3: record 'q' has no sequence"));
  EXPECT_THAT(fasta_error(">p\nMK\n>p again\nMK\n"),
              HasSubstr("a.fasta:3:1: record 'p' for the second"));
  EXPECT_THAT(fasta_error(""), HasSubstr("a.fasta: no record"));
  EXPECT_THAT(fasta_error("\x1f\x8b\x08 cut"), HasSubstr("a.fasta"));
}

TEST(Fasta, ErrorNamesLengthLimit) {
  std::string text = ">p\n" + std::string(longest_sequence, 'G');
  EXPECT_EQ(parse_fasta(text + "\n>q\nG", "a.fasta").front().sequence.size(), longest_sequence);
  EXPECT_THAT(fasta_error(text + "\nG"),
              HasSubstr("a.fasta:3:1: record 'p' has more than 1000000 residues"));
  EXPECT_THROW((void)make_sequence_structure("p", std::string(longest_sequence + 1, 'G')),
               StructureError);
}

TEST(Fasta, ErrorListsTheFirstRecords) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format(">protein{}\nMK\n", i);
  const auto records = parse_fasta(text, "a.fasta");
  const std::string few = "protein0, protein1, protein2, protein3, protein4 and 995 more";
  EXPECT_EQ(list_record_names(records), few);
  EXPECT_EQ(list_record_names({records[0], records[1]}), "protein0, protein1");
  try {
    (void)find_record(records, "other", "a.fasta");
    FAIL() << "no exception";
  } catch (const StructureError& error) {
    EXPECT_EQ(error.what(), "a.fasta: no record 'other'; it has " + few);
  }
}

TEST(Fasta, FindsRecordsByName) {
  const auto records = parse_fasta(">one\nMK\n>two\nGG\n", "a.fasta");
  EXPECT_EQ(find_record(records, "two", "a.fasta").sequence, "GG");
  EXPECT_EQ(find_record({records[0]}, "", "a.fasta").sequence, "MK");
  EXPECT_THROW((void)find_record(records, "", "a.fasta"), StructureError);
  try {
    (void)find_record(records, "three", "a.fasta");
    FAIL() << "found";
  } catch (const StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no record 'three'; it has one, two"));
  }
}

// MODELLER's PIR format, whose title line may consist of residue letters.
TEST(Fasta, PirTitleIsNoSequence) {
  const std::string sequence = "MAQKRPSQRSKYLASASTMDHARHGFLPRHRDTGILDSLGRFFGSDRGAPK";
  const auto records = parse_fasta(
      ">P1;MYPEP\nMYELIN PEPTIDE\n" + sequence + "*\nC;a comment\n>F1;two\n\nGG*\n", "a.pir");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].name, "MYPEP");
  EXPECT_EQ(records[0].sequence, sequence);
  EXPECT_EQ(records[0].sequence.size(), 51U);
  EXPECT_EQ(records[1].sequence, "GG");
  EXPECT_THAT(fasta_error(">DL;gene\ntitle\nACGT*\n"), HasSubstr("kind DL, which is no protein"));
  EXPECT_THAT(fasta_error(">P1;x\ntitle\nMK/GG*\n"), HasSubstr("chain break"));
}

TEST(Fasta, ErrorNamesRna) { EXPECT_THAT(fasta_error(">r\nGGACUU\n"), HasSubstr("is this RNA?")); }

TEST(Fasta, NamesInBracketsAreOneResidue) {
  const auto records = parse_fasta(">p\nGG[SEP]P T\n[TPO]k\n", "a.fasta");
  EXPECT_EQ(records.front().sequence, "GG[SEP]PT[TPO]k");
  EXPECT_THAT(fasta_error(">p\nGG[SEP\n"), HasSubstr("a.fasta:2:3: '[' without a name"));
  EXPECT_THAT(fasta_error(">p\nGG[]G\n"), HasSubstr("without a name"));
  EXPECT_THAT(fasta_error(">p\nGG[MUCHTOOLONG]G\n"), HasSubstr("1 to 7 letters"));
  EXPECT_THAT(fasta_error("[SEP]\n>p\nG\n"), HasSubstr("before the first header"));
  EXPECT_THAT(fasta_error(">p\nG*[SEP]\n"), HasSubstr("goes on after"));
}

TEST(Fasta, AnyAlphabetTakesNucleotides) {
  const auto records = parse_fasta(">r\nGGAC UUj\n", "a.fasta", Alphabet::any);
  EXPECT_EQ(records.front().sequence, "GGACUUj");
  EXPECT_THROW((void)parse_fasta(">r\nGG4\n", "a.fasta", Alphabet::any), StructureError);
}

TEST(Sequence, NamesInBracketsKeepTheirParents) {
  const auto chain = make_sequence_structure("p", "G[SEP]h[MSE][PEG]").chains.at(0);
  ASSERT_EQ(chain.residues.size(), 5U);
  EXPECT_EQ(chain.kind, "protein");
  EXPECT_EQ(chain.residues[1].name, "SER");
  EXPECT_EQ(chain.residues[1].file_name, "SEP");
  EXPECT_EQ(chain.residues[2].name, "HIS");
  EXPECT_EQ(chain.residues[2].file_name, "");
  EXPECT_EQ(chain.residues[2].number, 3);
  EXPECT_EQ(chain.residues[3].name, "MET");
  EXPECT_EQ(chain.residues[4].name, "PEG");
  EXPECT_TRUE(chain.residues[3].bonded_to_next);
  EXPECT_FALSE(chain.residues[4].bonded_to_next);
}

TEST(Sequence, LettersOfOtherKindsAreNames) {
  const auto made = make_sequence_structure("r", "GACU[PSU]", "rna");
  const auto& chain = made.chains.at(0);
  EXPECT_EQ(chain.kind, "rna");
  ASSERT_EQ(chain.residues.size(), 5U);
  EXPECT_EQ(chain.residues[3].name, "U");
  EXPECT_EQ(chain.residues[4].name, "PSU");
  EXPECT_TRUE(made.notes.empty());
  EXPECT_THROW((void)make_sequence_structure("r", "GA-C", "rna"), StructureError);
}

TEST(Sequence, NotesAmbiguousLetters) {
  const auto notes = [](const char* sequence) {
    return make_sequence_structure("p", sequence).notes;
  };
  EXPECT_THAT(notes("MKVSLLDEEKPAAW"), testing::IsEmpty());
  EXPECT_THAT(notes("mkvslldeekpaaw"), testing::IsEmpty());
  EXPECT_THAT(notes("MKVsLLDEEKtAAW"),
              testing::ElementsAre(HasSubstr("2 of 14 letters are in lower "
                                             "case (s4, t11)")));
  EXPECT_THAT(notes("ACGTTGCAACGT"), testing::ElementsAre(HasSubstr("is it DNA?")));
  EXPECT_THAT(notes("CCHHHHHHCCEEEE"), testing::ElementsAre(HasSubstr("a secondary structure")));
  EXPECT_THAT(notes("HPPHHPPHPHPH"), testing::ElementsAre(HasSubstr("HP model")));
  EXPECT_THAT(notes("METGLNILEPHE"), testing::ElementsAre(HasSubstr("one-letter codes")));
}

TEST(Sequence, BecomesAChainWithoutCoordinates) {
  const auto structure = make_sequence_structure("tail", "ARNDCQEGHILKMFPSTWYV");
  ASSERT_EQ(structure.chains.size(), 1U);
  const auto& residues = structure.chains[0].residues;
  ASSERT_EQ(residues.size(), 20U);
  EXPECT_EQ(residues[0].name, "ALA");
  EXPECT_EQ(residues[19].name, "VAL");
  EXPECT_EQ(residues[19].number, 20);
  EXPECT_TRUE(residues[18].bonded_to_next);
  EXPECT_FALSE(residues[19].bonded_to_next);
  EXPECT_TRUE(std::isnan(residues[5].calpha_nm[0]));
  EXPECT_EQ(make_sequence_structure("t", "gw").chains[0].residues[1].name, "TRP");
}

TEST(Sequence, ErrorsNameThePosition) {
  EXPECT_THROW((void)make_sequence_structure("tail", ""), StructureError);
  try {
    (void)make_sequence_structure("species tail", "GGXG");
    FAIL() << "accepted";
  } catch (const StructureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("species tail: 'X' at 3 of the sequence"));
  }
}

}  // namespace
}  // namespace nfold::structure
