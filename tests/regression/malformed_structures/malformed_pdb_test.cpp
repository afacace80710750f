// Malformed PDB files: each is refused in one line with the position and the remedy.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "malformed.hpp"

namespace nfold::test {
namespace {

constexpr std::size_t line_bytes = 79;

std::string good_pdb() { return pdb_text(helix(6)); }

// A valid file with `field` written over line `line` from column `first` on (both from 1).
std::string with_columns(int line, int first, const std::string& field) {
  std::string text = good_pdb();
  std::size_t at = 0;
  for (int i = 1; i < line; ++i) at = text.find('\n', at) + 1;
  return text.replace(at + static_cast<std::size_t>(first) - 1, field.size(), field);
}

std::string with_atoms(const std::vector<AtomText>& more) {
  auto atoms = helix(6);
  atoms.insert(atoms.end(), more.begin(), more.end());
  return pdb_text(atoms);
}

std::string renamed(const char* residue, const char* record, const char* atom) {
  auto atoms = helix(3);
  for (AtomText& a : atoms) {
    a.residue = residue;
    a.record = record;
    if (a.name == "CA") a.name = atom;
  }
  return pdb_text(atoms);
}

std::string models() {
  return fmt::format("MODEL        1\n{0}ENDMDL\nMODEL        2\n{0}ENDMDL\n", good_pdb());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, Malformed,
    testing::Values(
        Fault{"CoordinateNan", with_columns(4, 31, "     nan"), "test.pdb:4: x"},
        Fault{"CoordinateInfinite", with_columns(4, 39, "     inf"), "test.pdb:4: y"},
        Fault{"CoordinateGarbled", with_columns(5, 47, " 12.3x4 "), "test.pdb:5: z"},
        Fault{"CoordinateBlank", with_columns(2, 31, "        "), "test.pdb:2: x"},
        Fault{"CoordinateStars", with_columns(2, 31, "********"), "'********'"},
        Fault{"CoordinateWithoutPoint", with_columns(2, 39, "      27"), "test.pdb:2: y"},
        Fault{"CoordinateComma", with_columns(2, 39, "  27,340"), "'  27,340'"},
        Fault{"CoordinateTwoNumbers", with_columns(2, 39, "1.0  2.0"), "'1.0  2.0'"},
        Fault{"ColumnsShifted", with_columns(3, 28, "-1000.12"), "test.pdb:3: columns 28 to 30"},
        Fault{"ResidueNumberBlank", with_columns(7, 23, "    "), "test.pdb:7: residue number"},
        Fault{"ResidueNumberGarbled", with_columns(7, 23, " 1x2"), "' 1x2'"},
        Fault{"ResidueNumberPastHybrid36", with_columns(7, 23, "a000"), "'a000'"},
        Fault{"InsertionCodeGarbled", with_columns(7, 27, "#"), "insertion code '#'"},
        Fault{"AtomNameBlank", with_columns(7, 13, "    "), "test.pdb:7: no atom name"},
        Fault{"ResidueNameBlank", with_columns(7, 18, "   "), "test.pdb:7: no residue name"},
        Fault{"OccupancyGarbled", with_columns(8, 55, "  1.x0"), "test.pdb:8: occupancy"},
        Fault{"LineCut", good_pdb().substr(0, line_bytes * 2 + 48), "test.pdb:3: atom line of 48"},
        Fault{"LineCutInZ", good_pdb().substr(0, line_bytes * 17 + 52),
              "test.pdb:18: atom line of 52"},
        Fault{"ColumnsShiftedByOne", replaced(good_pdb(), " A ", "  A "),
              "test.pdb:1: y coordinate"},
        Fault{"Tabs", replaced(good_pdb(), " ", "\t"), "no ATOM record"},
        Fault{"CarriageReturnsOnly", replaced(good_pdb(), "\n", "\r"),
              "test.pdb:1: a carriage return"}),
    fault_name);

INSTANTIATE_TEST_SUITE_P(
    Residues, Malformed,
    testing::Values(
        Fault{"ResidueTwice", with_atoms({helix(6)[0]}), "test.pdb:19: residue ALA 1 of chain 'A'"},
        Fault{"ChainTwice", good_pdb() + good_pdb(), "test.pdb:19: residue ALA 1"},
        Fault{"AtomTwice", with_atoms({helix(6)[16]}), "ALA 6 (chain A) has atom CA twice"},
        Fault{"NumberOfTwoResidues",
              with_atoms({{.name = "N", .residue = "GLY", .number = 6, .position = {1, 2, 3}},
                          {.name = "CA", .residue = "GLY", .number = 6, .position = {1, 2, 4}},
                          {.name = "C", .residue = "GLY", .number = 6, .position = {1, 2, 5}}}),
              "GLY 6 (chain A) has the number of ALA 6"},
        Fault{"NoCalpha", renamed("ALA", "ATOM", "CB"), "3 residues without C-alpha"},
        Fault{"OnlyWater", renamed("HOH", "HETATM", "O"), "3 waters"},
        Fault{"OnlyNucleicAcid", renamed("DA", "ATOM", "C1'"), "3 nucleic acid residues"},
        Fault{"OnlyLigand", renamed("HEM", "HETATM", "FE"), "3 ligands"},
        Fault{"OnlyCalcium",
              "HETATM    1 CA    CA A   1       1.000   2.000   3.000  1.00 10.00          CA\n",
              "1 ligands and ions"},
        Fault{"HeaderOnly", "HEADER    HYDROLASE\nTITLE     NOTHING\nEND\n", "no ATOM record"},
        Fault{"AtomsAfterEnd", fmt::format("REMARK\nEND\n{}", good_pdb()),
              "test.pdb:2: no ATOM record before the end"}),
    fault_name);

INSTANTIATE_TEST_SUITE_P(
    ModelsAndSelections, Malformed,
    testing::Values(
        Fault{"ModelBeyond", models(), "model 3 is selected, the file has 2", {3, {}}},
        Fault{"ModelZero", models(), "model 0 is selected", {0, {}}},
        Fault{"ModelNegative", models(), "model -1 is selected", {-1, {}}},
        Fault{"ModelInModel", replaced(models(), "ENDMDL\nMODEL        2\n", "MODEL        2\n"),
              "test.pdb:20: MODEL inside the model that began in line 1"},
        Fault{"ModelCut", fmt::format("MODEL        1\n{}", good_pdb()),
              "inside the model that began in line 1"},
        Fault{"LastModelCut",
              models().substr(0, models().size() - 7),
              "ends inside the model",
              {2, {}}},
        Fault{"ChainUnknown", good_pdb(), "no chain 'X'; there are: A", {1, {"X"}}},
        Fault{"ChainNotProtein",
              with_atoms({{.record = "HETATM", .name = "O", .residue = "HOH", .chain = "W"}}),
              "in the selected chains",
              {1, {"W"}}},
        Fault{"RangeEmpty", good_pdb(), "chain A has no residue 100-200", {1, {"A:100-200"}}},
        Fault{"RangeBackwards", good_pdb(), "runs backwards", {1, {"A:5-2"}}},
        Fault{"RangeGarbled", good_pdb(), "'x' is not a residue number", {1, {"A:x-2"}}},
        Fault{"RangeOpen", good_pdb(), "'A:5-'", {1, {"A:5-"}}},
        Fault{"RangeThreeEnds", good_pdb(), "'A:1-2-3'", {1, {"A:1-2-3"}}},
        Fault{"RangeMissing", good_pdb(), "'A:'", {1, {"A:"}}},
        Fault{"ChainNameMissing", good_pdb(), "no chain name", {1, {":1-5"}}}),
    fault_name);

}  // namespace
}  // namespace nfold::test
