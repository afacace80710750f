// Real files with a fault each: what is read of them, and what a person is told.
// SPDX-License-Identifier: BSD-3-Clause
//
// The files were made after public bug reports, as variations of residues 1 to 40 of 1UBQ
// (fragment.pdb); right values were counted by hand from what was varied.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "input_files/input.hpp"
#include "setup/species_setup.hpp"
#include "structure/fasta.hpp"
#include "structure/structure.hpp"
#include "topology/amounts.hpp"
#include "topology/topology.hpp"

namespace nfold {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path folder = NFOLD_REAL_FILES;

/// The system of an input's text, as run builds it.
setup::SystemSetup build(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto input = folder / "test.yaml";
  const auto settings = input_files::parse_input(text, input.string(), overrides);
  return setup::build_system(comm::Communicator(), settings, input);
}
setup::SystemSetup build_file(const std::string& structure,
                              const std::vector<std::string>& overrides = {}) {
  return build("system:\n  structure: " + structure + "\ndynamics:\n  steps: 100\n", overrides);
}
setup::SystemSetup build_input(const std::string& name,
                               const std::vector<std::string>& overrides = {}) {
  const auto input = folder / name;
  return build(input_files::read_input_text(input), overrides);
}

std::string error_of(const std::string& structure, const std::vector<std::string>& overrides) {
  try {
    (void)build_file(structure, overrides);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

struct Counts {
  std::string file;
  std::size_t chains, residues, bonds, contacts;
  std::string note;
};
void PrintTo(const Counts& counts, std::ostream* out) { *out << counts.file; }

class RealFiles : public testing::TestWithParam<Counts> {};

TEST_P(RealFiles, CountsAndNoteAreRight) {
  const auto& [file, chains, residues, bonds, contacts, note] = GetParam();
  const auto system = build_file(file);
  EXPECT_EQ(system.topology.chains.size(), chains);
  EXPECT_EQ(system.topology.residues.size(), residues);
  EXPECT_EQ(system.topology.bonds.size(), bonds);
  if (contacts > 0) {
    EXPECT_EQ(static_cast<std::size_t>(system.topology.contact_count()), contacts);
  }
  if (!note.empty()) {
    EXPECT_THAT(system.notes, Contains(HasSubstr(note)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RealFiles,
    testing::Values(Counts{"fragment.pdb", 1, 40, 39, 67, ""},
                    // Column 21 holds the fourth letter of a name: LYSH, ASPP, HISE.
                    Counts{"four-letter-names.pdb", 1, 40, 39, 67, "residue names of four letters"},
                    // A second protein behind END; a file that ends in the middle.
                    Counts{"joined.pdb", 1, 20, 19, 0, "atoms after END (line 157) left out: 155"},
                    Counts{"cut-off.pdb", 1, 20, 19, 0, "no END record"},
                    Counts{"cut-off.pdb", 1, 20, 19, 0, "by the file's sequence: 1 (A 20 of 76)"},
                    // A calcium ion in an ATOM record without an element.
                    Counts{"calcium-atom-record.pdb", 1, 20, 19, 0,
                           "ligands and ions left out: 1 (CA 101 (chain A))"},
                    Counts{"stubs.pdb", 1, 40, 39, 50, "atoms of the side chain missing"}));

TEST(RealFiles, RangesFollowTheFilesOrder) {
  // 1H, 1G, ... 1A, 1, 2, ... 32
  const auto residues = [](const char* chains) {
    return build_file("codes-descending.pdb", {std::string("system.chains=[\"") + chains + "\"]"})
        .topology.residue_count();
  };
  EXPECT_EQ(residues("A:1H-10"), 18);
  EXPECT_EQ(residues("A:1A-10"), 11);
  EXPECT_EQ(residues("A:1-10"), 18);
  EXPECT_EQ(residues("1H-1A,5"), 9);
  const std::vector<std::string> bias{"bias.centre_nm=4", "bias.k_kj_mol_nm2=10"};
  auto named = bias;
  named.emplace_back("bias.residues=[\"A:1H\", \"A:10\"]");
  EXPECT_THAT(build_file("codes-descending.pdb", named).notes,
              Contains(HasSubstr("the distance of A:1H, A:10")));
  EXPECT_THAT(error_of("codes-descending.pdb", {"system.chains=[\"A:1A-1H\"]"}),
              HasSubstr("runs backwards: in the file 1A is behind 1H"));
}

TEST(RealFiles, MissingPartOfASelectionIsNamed) {
  EXPECT_THAT(error_of("fragment.pdb", {"system.chains=[\"A:10-20,100-120\"]"}),
              HasSubstr("chain A has no residue 100-120; its residues are 1 to 40"));
  EXPECT_THAT(
      build_file("fragment.pdb", {"system.chains=[\"A:30-50\"]"}).notes,
      Contains(HasSubstr("the structure lacks: A:30-50 (the structure has 30 to 40 of it)")));
}

TEST(RealFiles, RowsOfTheTableWinOverParents) {
  const auto own = build_input("phospho.yaml");
  EXPECT_NEAR(topology::charge_of(own.topology), -7, 1e-9);
  EXPECT_THAT(own.notes, Contains(HasSubstr("rows of their own in the table: 3")));
  EXPECT_THAT(own.notes, Not(Contains(HasSubstr("counted as their parents"))));
  // With the built-in table they are their parents: TPO and SEP lose -2 e each, ALY gains 1.
  const auto parents = build_input("phospho.yaml", {"force_field.table=\"\""});
  EXPECT_NEAR(topology::charge_of(parents.topology), -2, 1e-9);
  EXPECT_THAT(parents.notes, Contains(HasSubstr("counted as their parents: 3")));
  EXPECT_THAT(parents.notes, Contains(HasSubstr("a charge of -5.00 e is lost by it")));
  const auto plain = build_input("phospho.yaml", {"system.species[0].structure=fragment.pdb"});
  EXPECT_THAT(plain.notes, Contains("rows of the table that no residue takes: SEP, TPO, ALY"));
}

TEST(RealFiles, TitleOfAPirFileIsNoSequence) {
  const auto system = build(
      "system:\n  species:\n    - name: p\n      fasta: pir.fasta\n"
      "force_field:\n  model: calvados2\ndynamics:\n  steps: 100\n");
  EXPECT_EQ(system.topology.residue_count(), 51);
}

TEST(RealFiles, ClosedChainIsNamed) {
  EXPECT_THAT(build_file("ring.pdb").notes, Contains(HasSubstr("closed chains")));
}

}  // namespace
}  // namespace nfold
