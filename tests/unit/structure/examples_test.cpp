// Real structures in input/structures: models and known features.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "model/structure/structure.hpp"
#include "model/topology/go_model.hpp"
#include "model/topology/modified_residues.hpp"

namespace nfold::structure {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

Structure example(const std::string& file, const Selection& selection = {}) {
  return read_structure(std::filesystem::path(NFOLD_STRUCTURES) / file, selection);
}

TEST(Examples, EveryFileGivesAModel) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NFOLD_STRUCTURES)) {
    if (entry.path().extension() != ".gz") continue;
    ++count;
    const Structure s = read_structure(entry.path());
    const auto topology = topology::build_go_model(s, {});
    EXPECT_EQ(topology.residue_count(), s.residue_count()) << entry.path();
    EXPECT_GT(topology.contacts_12_10.size(), topology.residues.size()) << entry.path();
  }
  EXPECT_GE(count, 27);
}

TEST(Examples, SelenomethioninesArePartOfTheChain) {
  const Structure s = example("1a8o.pdb.gz");
  EXPECT_EQ(s.residue_count(), 70);  // 66 and four MSE
  for (std::size_t i = 0; i + 1 < 70; ++i) EXPECT_TRUE(s.chains.at(0).residues[i].bonded_to_next);
  EXPECT_THAT(topology::describe_modified_residues(s, nullptr),
              Contains(HasSubstr("modified residues counted as their parents: 4")));
}

TEST(Examples, NmrModelsDiffer) {
  const Structure first = example("1d3z.pdb.gz"), tenth = example("1d3z.pdb.gz", {10, {}});
  EXPECT_EQ(first.residue_count(), 76);
  EXPECT_EQ(tenth.residue_count(), 76);
  EXPECT_NE(first.chains[0].residues[40].calpha_nm, tenth.chains[0].residues[40].calpha_nm);
  EXPECT_THROW(example("1d3z.pdb.gz", {11, {}}), StructureError);
}

TEST(Examples, ReportsLigandsDnaAndGaps) {
  EXPECT_THAT(example("1hpv.pdb.gz").notes,
              Contains(HasSubstr("ligands and ions left out: 1 (478 200")));
  const Structure repressor = example("1lcd.cif.gz");
  EXPECT_EQ(repressor.residue_count(), 51);
  EXPECT_THAT(repressor.notes, Contains(HasSubstr("nucleic acid residues left out: 22")));
  const Structure antibody = example("1a0q.pdb.gz");
  EXPECT_EQ(antibody.residue_count(), 416);
  EXPECT_THAT(antibody.notes, Contains(HasSubstr("PRO 126 (chain H) to SER 134 (chain H)")));
  EXPECT_EQ(example("7cfn.cif.gz", {1, {"R"}}).chains.size(), 1U);
}

// SEQRES of 1TII's chain C has 53 residues, the entity of 2BEG 42; both files have fewer.
TEST(Examples, ReportsMissingResidues) {
  EXPECT_THAT(example("1tii.pdb.gz").notes, Contains(HasSubstr("entity): 7 (C 36 of 53, ")));
  EXPECT_THAT(example("2beg.cif.gz").notes, Contains(HasSubstr("entity): 5 (A 26 of 42, ")));
  EXPECT_THAT(example("1ubq.pdb.gz").notes, testing::Not(Contains(HasSubstr("own sequence"))));
}

TEST(Examples, ParsedBytesMatchReadFile) {
  const std::string path = std::string(NFOLD_STRUCTURES) + "/1ubq.pdb.gz";
  const Structure a = read_structure(path), b = parse_structure(read_structure_bytes(path), path);
  EXPECT_EQ(topology::hash_topology(topology::build_go_model(a, {})),
            topology::hash_topology(topology::build_go_model(b, {})));
  EXPECT_EQ(a.name, "1ubq");
}

TEST(Examples, ErrorsNameUnreadableFiles) {
  for (const std::string path : {"/no/such/file.pdb", NFOLD_STRUCTURES}) {
    try {
      (void)read_structure(path);
      ADD_FAILURE() << path;
    } catch (const StructureError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

}  // namespace
}  // namespace nfold::structure
