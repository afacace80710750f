// Species from arguments of prepare: names, records, values for one or all.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepare/species.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/input_error.hpp"
#include "model/structure/structure.hpp"

namespace nfold::prepare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string sequences_file = NFOLD_INPUT "/sequences.fasta";
const std::string ubiquitin_file = NFOLD_INPUT "/structures/1ubq.pdb.gz";

std::string refusal(const PrepareOptions& options) {
  try {
    (void)read_species(options, "out.yaml");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PrepareSpecies, TakesNamesFromRecordsFilesAndUser) {
  PrepareOptions options;
  options.inputs = {sequences_file + ":FUS-LCD", ubiquitin_file,
                    "client=" + sequences_file + ":A1"};
  const auto species = read_species(options, "out.yaml");
  ASSERT_EQ(species.size(), 3U);
  EXPECT_EQ(species[0].name, "FUS-LCD");
  EXPECT_EQ(species[0].record, "FUS-LCD");
  EXPECT_EQ(species[0].fasta, sequences_file);
  EXPECT_EQ(species[1].name, "1ubq");
  EXPECT_EQ(species[1].structure, ubiquitin_file);
  EXPECT_EQ(species[2].name, "client");
  EXPECT_EQ(species[2].record, "A1");
  for (const auto& one : species) EXPECT_EQ(one.copies, 1);
  EXPECT_EQ(first_name(options), "FUS-LCD");
}

TEST(PrepareSpecies, TakesValuesForOneOrAll) {
  PrepareOptions options;
  options.inputs = {sequences_file + ":A1", "ubq=" + ubiquitin_file, sequences_file + ":DSS1"};
  options.copies = {"50", "ubq=4"};
  options.molarities = {"DSS1=0.5"};
  options.chains = {"ubq=A:1-72"};
  options.domains = {"ubq=1-40", "ubq=50-60,65-72"};
  options.concentrations = {"100"};  // total, not of a species
  const auto species = read_species(options, "out.yaml");
  EXPECT_EQ(species[0].copies, 50);
  EXPECT_EQ(species[1].copies, 4);
  EXPECT_EQ(species[0].concentration_mg_per_ml, 0);
  EXPECT_EQ(species[2].concentration_millimolar, 0.5);
  EXPECT_THAT(species[1].chains, ElementsAre("A:1-72"));
  EXPECT_THAT(species[1].domains, ElementsAre("1-40", "50-60,65-72"));
  EXPECT_THAT(species[0].domains, IsEmpty());
}

TEST(PrepareSpecies, MutationsMayContainEqualsSigns) {
  PrepareOptions options;
  options.inputs = {sequences_file + ":A1", "ubq=" + ubiquitin_file};
  options.mutations = {"ubq=A:K48R", "ubq=S65=SEP", "S1=TPO"};
  options.kinds = {"ubq=rna"};
  const auto species = read_species(options, "out.yaml");
  EXPECT_THAT(species[1].mutations, ElementsAre("A:K48R", "S65=SEP"));
  EXPECT_THAT(species[0].mutations, ElementsAre("S1=TPO"));
  EXPECT_EQ(species[1].kind, "rna");
  EXPECT_EQ(species[0].kind, "");
}

TEST(PrepareSpecies, ConcentrationReplacesCopies) {
  PrepareOptions options;
  options.inputs = {sequences_file + ":A1"};
  options.concentrations = {"A1=12.5"};
  const auto species = read_species(options, "out.yaml");
  EXPECT_EQ(species[0].concentration_mg_per_ml, 12.5);
  EXPECT_EQ(species[0].copies, 0);
}

TEST(PrepareSpecies, RefusesUnknownNames) {
  PrepareOptions options;
  options.inputs = {"nowhere.fasta"};
  EXPECT_THAT(refusal(options), HasSubstr("nowhere.fasta: there is no such file"));
  options.inputs = {sequences_file};
  EXPECT_THAT(refusal(options), HasSubstr("12 records, and none is chosen"));
  EXPECT_THAT(refusal(options), HasSubstr("A1, aSyn, ACTR"));
  options.inputs = {sequences_file + ":nobody"};
  EXPECT_THROW((void)read_species(options, "out.yaml"), structure::StructureError);
  options.inputs = {ubiquitin_file + ":A"};
  EXPECT_THAT(refusal(options), HasSubstr("--chains"));
  options.inputs = {sequences_file + ":A1"};
  options.copies = {"A2=3"};
  EXPECT_THAT(refusal(options),
              HasSubstr("--copies: 'A2=3' is for no species (the species are A1)"));
  for (const char* copies : {"0", "-3", "many", "2.5"}) {
    options.copies = {copies};
    EXPECT_THAT(refusal(options), HasSubstr("for species A1")) << copies;
  }
}

TEST(PrepareSpecies, SingleRecordTakesFileName) {
  const auto file = std::filesystem::path(testing::TempDir()) / "one.fa";
  std::ofstream(file) << ">sp|P35637|FUS_HUMAN\nMASNDYTQQATQ\n";
  PrepareOptions options;
  options.inputs = {file.string()};
  const auto species = read_species(options, "out.yaml");
  EXPECT_EQ(species[0].record, "sp|P35637|FUS_HUMAN");
  EXPECT_EQ(species[0].name, "one");
  EXPECT_EQ(first_name(options), "one");
  options.inputs = {file.string() + ":sp|P35637|FUS_HUMAN"};
  EXPECT_EQ(read_species(options, "out.yaml").front().name, "sp_P35637_FUS_HUMAN");
  EXPECT_EQ(first_name(options), "sp_P35637_FUS_HUMAN");
  std::filesystem::remove(file);
}

TEST(PrepareSpecies, DetectsFastaByFirstLetter) {
  const auto file = std::filesystem::path(testing::TempDir()) / "sequence.txt";
  std::ofstream(file) << ">one\nMASNDYTQQATQ\n";
  PrepareOptions options;
  options.inputs = {file.string()};
  EXPECT_EQ(read_species(options, "out.yaml").front().record, "one");
  std::filesystem::remove(file);
}

TEST(PrepareSpecies, PathsAreRelativeToInput) {
  EXPECT_EQ(path_for_input("inputs/a.yaml", "structures/b.pdb"), "../structures/b.pdb");
  EXPECT_EQ(path_for_input("a.yaml", "b.fasta"), "b.fasta");
  EXPECT_EQ(path_for_input("inputs/a.yaml", "/data/b.pdb"), "/data/b.pdb");
}

TEST(PrepareSpecies, PathsThroughLinksStayValid) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "prepare-links";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "far/away");
  std::filesystem::create_directories(folder / "runs");
  std::filesystem::create_directory_symlink(folder / "far/away", folder / "runs/data");
  std::filesystem::create_directory_symlink(folder / "far/away", folder / "link");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  EXPECT_EQ(path_for_input("runs/a.yaml", "runs/data/b.pdb"), "data/b.pdb");
  EXPECT_EQ(path_for_input("link/a.yaml", "runs/b.pdb"), "../../runs/b.pdb");
  std::filesystem::current_path(here);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace nfold::prepare
