// Rules of the structure reader, one small hand-made file each.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "model/structure/gunzip.hpp"
#include "model/structure/structure.hpp"
#include "structure_text.hpp"

namespace nfold::structure {
namespace {

using test::AtomText;
using test::cif_text;
using test::gzip;
using test::helix;
using test::pdb_text;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

Structure parse(const std::string& text, const Selection& selection = {}) {
  return parse_structure(text, "dir/test.pdb.gz", selection);
}

Structure parse(const std::vector<AtomText>& atoms, const Selection& selection = {}) {
  return parse(pdb_text(atoms), selection);
}

template <typename... More>
std::vector<AtomText> joined(std::vector<AtomText> atoms, const More&... more) {
  (atoms.insert(atoms.end(), more.begin(), more.end()), ...);
  return atoms;
}

std::vector<int> numbers(const Chain& chain) {
  std::vector<int> all;
  all.reserve(chain.residues.size());
  for (const Residue& r : chain.residues) all.push_back(r.number);
  return all;
}

std::vector<bool> bonds(const Chain& chain) {
  std::vector<bool> all;
  all.reserve(chain.residues.size());
  for (const Residue& r : chain.residues) all.push_back(r.bonded_to_next);
  return all;
}

TEST(StructureReader, FormatsAndCompressionAgree) {
  const auto atoms = joined(helix(7), helix(4, "B", 1, {30, 0, 0}));
  const Structure pdb = parse(pdb_text(atoms) + "END\n");
  ASSERT_THAT(pdb.chains, SizeIs(2));
  EXPECT_EQ(pdb.name, "test");
  EXPECT_EQ(pdb.residue_count(), 11);
  EXPECT_THAT(pdb.notes, testing::ElementsAre(HasSubstr("side chain or backbone missing")));
  for (const std::string& text : {cif_text(atoms), gzip(cif_text(atoms)), gzip(pdb_text(atoms)),
                                  std::string("\xef\xbb\xbf") + pdb_text(atoms)}) {
    const Structure other = parse(text);
    ASSERT_THAT(other.chains, SizeIs(2));
    for (std::size_t c = 0; c < 2; ++c) {
      ASSERT_EQ(other.chains[c].name, pdb.chains[c].name);
      ASSERT_EQ(other.chains[c].residues.size(), pdb.chains[c].residues.size());
      for (std::size_t i = 0; i < pdb.chains[c].residues.size(); ++i) {
        const Residue &a = pdb.chains[c].residues[i], &b = other.chains[c].residues[i];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.number, b.number);
        EXPECT_EQ(a.calpha_nm, b.calpha_nm);
        EXPECT_EQ(a.bonded_to_next, b.bonded_to_next);
        EXPECT_EQ(a.heavy_atoms.size(), b.heavy_atoms.size());
      }
    }
  }
}

TEST(StructureReader, CoordinatesBecomeNanometres) {
  const Structure s = parse(std::vector<AtomText>{{.position = {1.5, -2, 12.345}}});
  const auto& x = s.chains.at(0).residues.at(0).calpha_nm;
  EXPECT_DOUBLE_EQ(x[0], 0.15);
  EXPECT_DOUBLE_EQ(x[1], -0.2);
  EXPECT_DOUBLE_EQ(x[2], 1.2345);
}

TEST(StructureReader, AcceptsWindowsLineEndsAndOldColumns) {
  std::string text;
  for (char c : pdb_text(helix(3))) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse(text).residue_count(), 3);
  // Before 1996 columns 73 to 80 held the entry's name and the line's number.
  std::string old = pdb_text(helix(3));
  for (std::size_t at = 0; at < old.size(); at += 79) old.replace(at + 72, 6, "1HPV 1");
  EXPECT_EQ(parse(old).residue_count(), 3);
}

TEST(StructureReader, TakesFirstModelByDefault) {
  const auto text = fmt::format("MODEL        1\n{}ENDMDL\nMODEL        2\n{}ENDMDL\n",
                                pdb_text(helix(3)), pdb_text(helix(4)));
  const Structure first = parse(text);
  EXPECT_EQ(first.residue_count(), 3);
  EXPECT_THAT(first.notes, Contains("model 1 of 2 is used"));
  EXPECT_EQ(parse(text, {2, {}}).residue_count(), 4);
}

TEST(StructureReader, KeepsHighestOccupancy) {
  for (const bool second_wins : {false, true}) {
    auto atoms = helix(3);
    std::vector<AtomText> with_alternates;
    for (const AtomText& atom : atoms) {
      AtomText a = atom, b = atom;
      if (atom.number == 2) {
        a.alternate = 'A';
        b.alternate = 'B';
        a.occupancy = second_wins ? 0.4 : 0.5;
        b.occupancy = second_wins ? 0.6 : 0.5;
        b.position[0] += 0.3;
        with_alternates.push_back(a);
        with_alternates.push_back(b);
      } else {
        with_alternates.push_back(atom);
      }
    }
    for (const auto& text : {pdb_text(with_alternates), cif_text(with_alternates)}) {
      const Structure s = parse(text);
      const Residue& r = s.chains.at(0).residues.at(1);
      EXPECT_THAT(r.heavy_atoms, SizeIs(3));
      const double expected = (atoms[4].position[0] + (second_wins ? 0.3 : 0)) * 0.1;
      EXPECT_NEAR(r.calpha_nm[0], expected, 1e-4);
      EXPECT_THAT(s.notes,
                  Contains(HasSubstr("alternate locations, highest occupancy kept: 1 (ALA 2")));
    }
  }
}

TEST(StructureReader, KeepsOneOfTwoResidueKinds) {
  auto atoms = helix(3);
  std::vector<AtomText> both;
  for (const AtomText& atom : atoms) {
    if (atom.number != 2) both.push_back(atom);
  }
  for (const auto& [residue, letter, occupancy] :
       {std::tuple{"SER", 'A', 0.3}, std::tuple{"THR", 'B', 0.7}}) {
    for (std::size_t i = 3; i < 6; ++i) {
      AtomText atom = atoms[i];
      atom.residue = residue;
      atom.alternate = letter;
      atom.occupancy = occupancy;
      both.insert(both.end() - 3, atom);
    }
  }
  const Structure s = parse(both);
  EXPECT_EQ(s.residue_count(), 3);
  EXPECT_EQ(s.chains.at(0).residues.at(1).name, "THR");
  EXPECT_THAT(s.notes, Contains(HasSubstr("SER or THR 2 (chain A)")));
}

TEST(StructureReader, InsertionCodesKeepFileOrder) {
  auto atoms = helix(4);
  for (AtomText& a : atoms) {
    if (a.number == 2) a.number = 1, a.insertion_code = 'A';
    if (a.number == 3) a.number = 1, a.insertion_code = 'B';
  }
  const Structure s = parse(atoms);
  EXPECT_EQ(s.residue_count(), 4);
  EXPECT_EQ(s.chains[0].residues[2].insertion_code, 'B');
  EXPECT_THAT(bonds(s.chains[0]), testing::ElementsAre(true, true, true, false));
  EXPECT_THAT(s.notes, Contains(HasSubstr("insertion codes, in the file's order: 2 (ALA 1A")));
  EXPECT_EQ(parse(atoms, {1, {"A:1A-1B"}}).residue_count(), 2);
  EXPECT_EQ(parse(atoms, {1, {"A:1"}}).residue_count(), 1);
  EXPECT_EQ(parse(atoms, {1, {"A:1-1"}}).residue_count(), 3);
}

TEST(StructureReader, ModifiedResiduesCountAsTheirParents) {
  auto atoms = helix(5);
  for (AtomText& a : atoms) {
    if (a.number == 2) a.residue = "MSE", a.record = "HETATM";
    if (a.number == 3) a.residue = "HIE";
    if (a.number == 4) a.residue = "SEP", a.record = "HETATM";
    if (a.number == 5) a.residue = "DAL", a.record = "HETATM";
  }
  const Structure s = parse(atoms);
  ASSERT_EQ(s.residue_count(), 5);
  EXPECT_EQ(s.chains[0].residues[1].name, "MET");
  EXPECT_EQ(s.chains[0].residues[2].name, "HIS");
  EXPECT_EQ(s.chains[0].residues[3].name, "SER");
  EXPECT_EQ(s.chains[0].residues[4].name, "ALA");
  EXPECT_EQ(s.chains[0].residues[1].file_name, "MSE");
  EXPECT_THAT(s.notes,
              Contains("D residues kept as the file has them: 1 (DAL 5 (chain A) as ALA)"));
}

TEST(StructureReader, KeepsUnknownResiduesOfTheChain) {
  auto atoms = helix(3);
  for (AtomText& a : atoms) {
    if (a.number == 2) a.residue = "X9Z", a.record = "HETATM";
  }
  const Structure s = parse(atoms);
  ASSERT_EQ(s.residue_count(), 3);
  EXPECT_EQ(s.chains[0].residues[1].name, "UNK");
  EXPECT_THAT(s.notes, Contains(HasSubstr("unknown kind in the chain kept as UNK: 1 (X9Z 2")));
}

TEST(StructureReader, NonProteinIsOmittedAndCounted) {
  auto free_amino_acid = helix(1, "A", 90, {50, 0, 0});
  for (AtomText& a : free_amino_acid) a.record = "HETATM", a.residue = "GLY";
  const std::vector<AtomText> others{
      {.record = "HETATM", .name = "O", .residue = "HOH", .number = 101, .position = {20, 0, 0}},
      {.record = "HETATM", .name = "O", .residue = "HOH", .number = 102, .position = {20, 5, 0}},
      {.record = "HETATM",
       .name = "CA",
       .residue = "CA",
       .number = 103,
       .position = {25, 0, 0},
       .element = "CA"},
      {.name = "P",
       .residue = "DA",
       .chain = "D",
       .number = 1,
       .position = {9, 9, 9},
       .element = "P"},
      {.record = "HETATM", .name = "C", .residue = "ACE", .number = 0, .position = {-9, 0, 0}}};
  for (const auto& text : {pdb_text(joined(helix(4), free_amino_acid, others)),
                           cif_text(joined(helix(4), free_amino_acid, others))}) {
    const Structure s = parse(text);
    EXPECT_EQ(s.residue_count(), 4);
    EXPECT_THAT(s.notes, Contains(HasSubstr("water left out: 2 (HOH 101")));
    EXPECT_THAT(s.notes,
                Contains("ligands and ions left out: 2 (GLY 90 (chain A), CA 103 (chain A))"));
    EXPECT_THAT(s.notes, Contains("nucleic acid residues left out: 1 (DA 1 (chain D))"));
    EXPECT_THAT(s.notes, Contains(HasSubstr("capping groups left out: 1")));
  }
}

TEST(StructureReader, HydrogensAreNotHeavyAtoms) {
  const Structure s = parse(joined(
      helix(1), std::vector<AtomText>{{.name = "HA", .position = {1, 1, 1}, .element = "H"},
                                      {.name = "D", .position = {1, 2, 1}, .element = "D"}}));
  EXPECT_THAT(s.chains.at(0).residues.at(0).heavy_atoms, SizeIs(3));
}

TEST(StructureReader, MissingResiduesBreakTheChain) {
  auto atoms = helix(6);
  std::erase_if(atoms, [](const AtomText& a) { return a.number == 3; });
  const Structure s = parse(atoms);
  EXPECT_THAT(numbers(s.chains.at(0)), testing::ElementsAre(1, 2, 4, 5, 6));
  EXPECT_THAT(bonds(s.chains[0]), testing::ElementsAre(true, false, true, true, false));
  EXPECT_THAT(s.notes,
              Contains("chain broken where neighbours are not bonded (missing residues): 1 "
                       "(ALA 2 (chain A) to ALA 4 (chain A), 0.54 nm)"));
}

TEST(StructureReader, ResiduesWithoutCalphaBreakTheChain) {
  auto atoms = helix(6);
  std::erase_if(atoms, [](const AtomText& a) { return a.number == 3 && a.name == "CA"; });
  const Structure s = parse(atoms);
  EXPECT_EQ(s.residue_count(), 5);
  EXPECT_FALSE(s.chains[0].residues[1].bonded_to_next);
  EXPECT_THAT(
      s.notes,
      Contains(HasSubstr("residues without C-alpha left out, chain broken there: 1 (ALA 3")));
}

TEST(StructureReader, NumberJumpIsNoBreak) {
  auto atoms = helix(4);
  for (AtomText& a : atoms) a.number += a.number > 2 ? 50 : 0;
  EXPECT_TRUE(parse(atoms).chains.at(0).residues.at(1).bonded_to_next);
}

TEST(StructureReader, CalphaDistanceReplacesMissingBackbone) {
  auto atoms = helix(6);
  std::erase_if(atoms, [](const AtomText& a) { return a.name != "CA" || a.number == 4; });
  const Structure s = parse(atoms);
  EXPECT_THAT(bonds(s.chains.at(0)), testing::ElementsAre(true, true, false, true, false));
}

TEST(StructureReader, UnnamedChainsAndPartsAfterTerStayApart) {
  auto first = helix(3, " "), second = helix(3, " ", 1, {30, 0, 0});
  const Structure s = parse(pdb_text(first) + "TER\n" + pdb_text(second) + "TER\nEND\n");
  ASSERT_THAT(s.chains, SizeIs(2));
  EXPECT_EQ(s.chains[0].name, "A");
  EXPECT_EQ(s.chains[1].name, "A_2");
  EXPECT_THAT(s.notes, Contains("unnamed chain, named by a letter: 1 (A)"));
  EXPECT_EQ(parse(pdb_text(first) + "TER\n" + pdb_text(second), {1, {"A_2"}}).residue_count(), 3);
  EXPECT_EQ(parse(pdb_text(first) + "TER\n" + pdb_text(second), {1, {"A"}}).residue_count(), 6);
  // A TER inside a chain, as AMBER writes it, is no break.
  auto whole = helix(6);
  const std::vector<AtomText> head(whole.begin(), whole.begin() + 9),
      tail(whole.begin() + 9, whole.end());
  EXPECT_THAT(parse(pdb_text(head) + "TER\n" + pdb_text(tail)).chains, SizeIs(1));
}

TEST(StructureReader, SelectsChainsAndRanges) {
  const auto atoms = joined(helix(9), helix(9, "B", -3, {30, 0, 0}));
  EXPECT_EQ(parse(atoms, {1, {"B"}}).residue_count(), 9);
  const Structure s = parse(atoms, {1, {"A:2-4,6-7", "B:-2-1"}});
  ASSERT_THAT(s.chains, SizeIs(2));
  EXPECT_THAT(numbers(s.chains[0]), testing::ElementsAre(2, 3, 4, 6, 7));
  EXPECT_THAT(numbers(s.chains[1]), testing::ElementsAre(-2, -1, 0, 1));
}

TEST(StructureReader, MirroredProteinHasDResidues) {
  // Real residues have C-beta atoms, whose side gives the hand: L in 1UBQ, D in its mirror image.
  std::vector<AtomText> mirrored;
  const Structure ubiquitin = read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  for (const Residue& r : ubiquitin.chains.at(0).residues) {
    for (const Atom& a : r.heavy_atoms) {
      mirrored.push_back(
          {.name = a.name,
           .residue = r.name,
           .number = r.number,
           .position = {-10 * a.position_nm[0], 10 * a.position_nm[1], 10 * a.position_nm[2]},
           .element = a.name.substr(0, 1)});
    }
  }
  EXPECT_THAT(ubiquitin.notes, testing::Not(Contains(HasSubstr("D residues"))));
  // 76 residues, 6 of them glycine.
  EXPECT_THAT(parse(mirrored).notes,
              Contains(HasSubstr("D residues kept as the file has them: 70")));
}

// Bond lengths: S-S 2.05 angstrom, C-N of an amide 1.33.
TEST(StructureReader, NotesCovalentLinks) {
  const auto atom = [](const char* name, const char* chain, int number, double x) {
    return AtomText{.name = name,
                    .chain = chain,
                    .number = number,
                    .position = {x, 40, 40},
                    .element = std::string(1, name[0])};
  };
  auto first = helix(6), second = helix(6, "B", 1, {30, 0, 0});
  first.push_back(atom("SG", "A", 6, 0));
  first.push_back(atom("NZ", "A", 6, 20));
  second.push_back(atom("SG", "B", 6, 2.05));
  second.push_back(atom("CD", "B", 6, 21.33));
  for (const auto& text : {pdb_text(joined(first, second)), cif_text(joined(first, second))}) {
    const Structure s = parse(text);
    EXPECT_THAT(s.notes, Contains(HasSubstr("disulfide bonds, which the model lacks: 1 "
                                            "(ALA 6 (chain A) to ALA 6 (chain B))")));
    EXPECT_THAT(s.notes, Contains(HasSubstr("close enough for a bond that the model lacks: 1 "
                                            "(ALA 6 (chain A) to ALA 6 (chain B), 0.13 nm)")));
  }
}

TEST(StructureReader, NotesResiduesMissingFromSequence) {
  const std::string atoms = pdb_text(helix(3));
  const auto notes = [&](const std::string& chain) {
    return parse(fmt::format("SEQRES   1 {}    5  ACE ALA ALA ALA ALA ALA\n{}END\n", chain, atoms))
        .notes;
  };
  EXPECT_THAT(notes("A"),
              Contains(HasSubstr("the file's own sequence (SEQRES or entity): 1 (A 3 of "
                                 "5)")));
  EXPECT_THAT(notes("B"), testing::Not(Contains(HasSubstr("own sequence"))));
}

TEST(StructureReader, FourLetterNamesAreNoChains) {
  auto named = [](int number, const char* name, const char* chain) {
    auto atoms = helix(8);
    for (AtomText& a : atoms) {
      if (a.number != number) continue;
      a.residue = name;
      a.chain = chain;
    }
    return parse(pdb_text(atoms));
  };
  // The chain's field takes columns 21 and 22.
  for (const auto& [number, name, letter] :
       {std::tuple{4, "LYS", "HA"}, {1, "NAL", "AA"}, {8, "GLY", "TA"}, {5, "ASP", "PA"}}) {
    const Structure s = named(number, name, letter);
    ASSERT_THAT(s.chains, SizeIs(1)) << name << letter;
    EXPECT_THAT(s.notes, Contains(HasSubstr("residue names of four letters"))) << name;
  }
  // A second chain with a name of two letters.
  const auto two = parse(pdb_text(joined(helix(8), helix(8, "HA", 1, {30, 0, 0}))));
  ASSERT_THAT(two.chains, SizeIs(2));
  EXPECT_EQ(two.chains[1].name, "HA");
}

std::string gunzip_error(const std::string& packed, std::size_t largest_bytes) {
  try {
    (void)gunzip(packed, "bomb.pdb.gz", largest_bytes);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

TEST(Gunzip, UnpacksUpToTheLimit) {
  constexpr std::size_t limit = std::size_t{3} << 20;
  const std::string full(limit, 'x');
  EXPECT_EQ(gunzip(gzip(full), "a.gz", limit), full);
  const std::string error = gunzip_error(gzip(full + "x"), limit);
  EXPECT_THAT(error, HasSubstr("bomb.pdb.gz: the gzip file unpacks to more than 3 MiB"));
  EXPECT_THAT(error, HasSubstr("3145729 bytes so far"));
  EXPECT_THAT(error, HasSubstr("unpack it with gunzip"));
}

TEST(Gunzip, RefusesBombsOfManyMembers) {
  const std::string member = gzip(std::string(std::size_t{16} << 20, ' '));
  std::string bomb;
  for (int i = 0; i < 65; ++i) bomb += member;
  EXPECT_THROW((void)parse(bomb), StructureError);
  EXPECT_THAT(gunzip_error(bomb, largest_unpacked_bytes), HasSubstr("more than 1024 MiB"));
}

TEST(ReadBytes, RefusesFilesBeyondTheLimit) {
  const auto path = std::filesystem::path(testing::TempDir()) / "large.pdb";
  std::ofstream(path) << "12345678";
  EXPECT_EQ(read_structure_bytes(path, 8), "12345678");
  EXPECT_THROW((void)read_structure_bytes(path, 7), StructureError);
  std::filesystem::resize_file(path, largest_file_bytes + 1);  // sparse file
  EXPECT_THROW((void)read_structure_bytes(path), StructureError);
  std::filesystem::remove(path);
}

TEST(BeadRecords, KeepRecordsNamesAndChains) {
  const auto atoms = joined(helix(3), helix(2, "B", 1, {30, 0, 0}));
  for (const auto& text : {pdb_text(atoms), cif_text(atoms), gzip(pdb_text(atoms))}) {
    const auto frame = parse_bead_records(text, "a.pdb", 1);
    ASSERT_THAT(frame.positions_nm, SizeIs(atoms.size()));
    ASSERT_THAT(frame.chains, SizeIs(atoms.size()));
    EXPECT_EQ(frame.chains.front(), 0);
    EXPECT_EQ(frame.chains.back(), 1);
    EXPECT_EQ(frame.residue_names.front(), parse(text).chains[0].residues[0].name);
    EXPECT_EQ(frame.box_nm, (std::array<double, 3>{}));
    EXPECT_EQ(count_models(text, "a.pdb"), 1);
  }
  EXPECT_THROW((void)parse_bead_records(pdb_text(atoms), "a.pdb", 2), StructureError);
}

TEST(BeadRecords, ReadUnitCell) {
  const auto pdb = [](const std::string& cell) {
    return parse_bead_records(cell + "\n" + pdb_text(helix(1)), "a.pdb", 1).box_nm;
  };
  using Edges = std::array<double, 3>;
  EXPECT_EQ(pdb("CRYST1   40.000   55.000  122.500  90.00  90.00  90.00 P 1           1"),
            (Edges{4, 5.5, 12.25}));
  EXPECT_EQ(pdb("CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1"), Edges{});
  EXPECT_EQ(pdb("CRYST1"), Edges{});
  EXPECT_TRUE(
      std::isnan(pdb("CRYST1   40.000   55.000  122.500  90.00  60.00  90.00 P 1           1")[1]));
  auto cif = cif_text(helix(1));
  cif.insert(cif.find("loop_"),
             "_cell.length_a 40\n_cell.length_b 55.0\n_cell.length_c 122.5\n"
             "_cell.angle_alpha 90\n_cell.angle_beta 90\n_cell.angle_gamma 90.00\n");
  EXPECT_EQ(parse_bead_records(cif, "a.cif", 1).box_nm, (Edges{4, 5.5, 12.25}));
}

}  // namespace
}  // namespace nfold::structure
