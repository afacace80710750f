// Real structure files with one fault each: parsed contents and messages.
// SPDX-License-Identifier: BSD-3-Clause
//
// The files were made after public bug reports, as variations of residues 1 to 40 of 1UBQ
// (fragment.pdb). The expected counts follow from the variations by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/chain_sizes.hpp"
#include "comm/communicator.hpp"
#include "input/input.hpp"
#include "model/structure/fasta.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/amounts.hpp"
#include "model/topology/topology.hpp"
#include "session/setup/species_setup.hpp"
#include "session/setup/start_setup.hpp"

namespace nfold {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path folder = NFOLD_REAL_FILES;

/// Builds the system of an input's text as `nfold run` does.
setup::SystemSetup build(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto input = folder / "test.yaml";
  const auto settings = input::parse_input(text, input.string(), overrides);
  return setup::build_system(comm::Communicator(), settings, input);
}
setup::SystemSetup build_file(const std::string& structure,
                              const std::vector<std::string>& overrides = {}) {
  return build("system:\n  structure: " + structure + "\ndynamics:\n  steps: 100\n", overrides);
}
setup::SystemSetup build_input(const std::string& name,
                               const std::vector<std::string>& overrides = {}) {
  const auto input = folder / name;
  return build(input::read_input_text(input), overrides);
}
/// Input with one species of a condensate model; `lines` are its keys.
std::string calvados(const std::string& lines, const std::string& force_field = "") {
  return "system:\n  species:\n    - name: p\n" + lines + "force_field:\n  model: calvados2\n" +
         force_field + "dynamics:\n  steps: 100\n";
}

std::string error_message(const std::string& structure, const std::vector<std::string>& overrides) {
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
std::ostream& operator<<(std::ostream& out, const Counts& counts) { return out << counts.file; }

class RealFiles : public testing::TestWithParam<Counts> {};

TEST_P(RealFiles, CountsAndNoteMatch) {
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
                    // A second protein follows END; another file ends in the middle.
                    Counts{"joined.pdb", 1, 20, 19, 0, "atoms after END (line 157) left out: 155"},
                    Counts{"cut-off.pdb", 1, 20, 19, 0, "no END record"},
                    Counts{"cut-off.pdb", 1, 20, 19, 0,
                           "the file's own sequence (SEQRES or entity): 1 (A 20 of 76)"},
                    // A calcium ion has an ATOM record without an element.
                    Counts{"calcium-atom-record.pdb", 1, 20, 19, 0,
                           "ligands and ions left out: 1 (CA 101 (chain A))"},
                    Counts{"stubs.pdb", 1, 40, 39, 50,
                           "atoms of side chain or backbone missing, which make no contacts: 28"}));

TEST(RealFiles, RangesFollowFileOrder) {
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
  EXPECT_THAT(error_message("codes-descending.pdb", {"system.chains=[\"A:1A-1H\"]"}),
              HasSubstr("runs backwards: in the file 1A is behind 1H"));
}

TEST(RealFiles, MissingPartOfSelectionIsNamed) {
  EXPECT_THAT(error_message("fragment.pdb", {"system.chains=[\"A:10-20,100-120\"]"}),
              HasSubstr("chain A has no residue 100-120; its residues are 1 to 40"));
  EXPECT_THAT(
      build_file("fragment.pdb", {"system.chains=[\"A:30-50\"]"}).notes,
      Contains(HasSubstr("the structure lacks: A:30-50 (the structure has 30 to 40 of it)")));
}

TEST(RealFiles, TableRowsTakePrecedenceOverParents) {
  const auto own = build_input("phospho.yaml");
  EXPECT_NEAR(topology::total_charge(own.topology), -7, 1e-9);
  EXPECT_THAT(own.notes, Contains(HasSubstr("rows of their own in the table: 3")));
  EXPECT_THAT(own.notes, Not(Contains(HasSubstr("counted as their parents"))));
  // In the built-in table they are their parents: TPO and SEP lose -2 e each, ALY gains 1.
  const auto parents = build_input("phospho.yaml", {"force_field.table=\"\""});
  EXPECT_NEAR(topology::total_charge(parents.topology), -2, 1e-9);
  EXPECT_THAT(parents.notes, Contains(HasSubstr("counted as their parents: 3")));
  EXPECT_THAT(parents.notes, Contains(HasSubstr("a charge of -5.00 e is lost by it")));
  const auto plain =
      build(calvados("      structure: fragment.pdb\n", "  table: table-with-phospho.yaml\n"));
  EXPECT_THAT(plain.notes, Contains("rows of the table that no residue takes: SEP, TPO, ALY"));
}

TEST(RealFiles, PirTitleIsNotSequence) {
  const auto system = build(calvados("      fasta: pir.fasta\n"));
  EXPECT_EQ(system.topology.residue_count(), 51);
}

// Residues 18 to 22 are missing; the C-alpha atoms beside the gap are 1.05 nm apart.
TEST(RealFiles, GapIsReportedWithLength) {
  const auto system = build_input("gap.yaml");
  EXPECT_THAT(system.notes, Contains(HasSubstr("VAL 17 (chain A) to ILE 23 (chain A), 1.05 nm")));
  EXPECT_THAT(system.notes, Contains(HasSubstr("2 pieces that no bond joins (1-17, 23-40)")));
  EXPECT_THAT(system.notes, Contains(HasSubstr("in 2 pieces that nothing joins")));
  EXPECT_EQ(system.topology.chains[0].pieces, 2);
  const std::vector<std::array<double, 3>> x(35, {1, 2, 3});
  EXPECT_TRUE(std::isnan(
      analysis::chain_radius_of_gyration_nm(system.topology, system.topology.chains[0], x)));
}

TEST(RealFiles, GapIsBridgedOnRequest) {
  for (const auto& system : {build(calvados("      structure: gap.pdb\n      gaps: bridge\n")),
                             build_file("gap.pdb", {"system.gaps=bridge"})}) {
    ASSERT_EQ(system.topology.bonds.size(), 34U);
    const topology::Bond bridge = system.topology.bonds[16];
    EXPECT_EQ(bridge.i, 16);
    EXPECT_NEAR(bridge.length_nm, 1.05, 0.005);
    EXPECT_EQ(system.topology.chains[0].pieces, 1);
    EXPECT_THAT(system.notes, Contains(HasSubstr("gaps bridged by a bond as long as the gap: 1")));
  }
  const auto go = build_file("gap.pdb", {"system.gaps=bridge"}).topology;
  EXPECT_EQ(go.angles.size(), build_file("gap.pdb").topology.angles.size());
}

TEST(RealFiles, RingIsClosed) {
  const auto go = build_file("ring.pdb");
  EXPECT_EQ(go.topology.bonds.size(), 14U);
  EXPECT_EQ(go.topology.angles.size(), 14U);
  EXPECT_EQ(go.topology.dihedrals.size(), 14U);
  EXPECT_THAT(go.notes, Contains(HasSubstr("closed chains, bonded from the last residue to the")));
  const auto charged = build(calvados("      structure: ring.pdb\n"));
  EXPECT_EQ(charged.topology.bonds.size(), 14U);
  // Alanines without ends: no charge, 14 times 71.07 amu.
  EXPECT_EQ(topology::total_charge(charged.topology), 0);
  for (const topology::Residue& residue : charged.topology.residues) {
    EXPECT_EQ(residue.charge_e, 0);
  }
  EXPECT_NEAR(topology::total_mass(charged.topology), 14 * 71.07, 1e-9);
}

TEST(RealFiles, CyclicSequenceStartsClosed) {
  const std::string text =
      calvados("      sequence: GSGSGSGSGSGSGSGSGSGS\n      cyclic: true\n      copies: 3\n");
  const auto input = folder / "test.yaml";
  for (const char* start : {"start.from=unfolded", "start.from=random"}) {
    const auto settings = input::parse_input(text, input.string(),
                                             {start, "system.box_nm=20", "start.minimise_steps=0"});
    const comm::Communicator alone;
    const auto topology = setup::build_system(alone, settings, input).topology;
    EXPECT_EQ(topology.bonds.size(), 60U);
    const auto state = setup::first_state(alone, settings, input, topology).state;
    for (const topology::Bond& bond : topology.bonds) {
      const auto one =
          system::position_nm(topology.box, state.position[static_cast<std::size_t>(bond.i)]);
      const auto other =
          system::position_nm(topology.box, state.position[static_cast<std::size_t>(bond.j)]);
      double squared = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double d = topology.box.nearest_nm(axis, one[axis] - other[axis]);
        squared += d * d;
      }
      EXPECT_NEAR(std::sqrt(squared), 0.38, 1e-3) << start << " " << bond.i << " " << bond.j;
    }
  }
}

}  // namespace
}  // namespace nfold
