// Lists made of FASTA files, CSV files and folders.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/list_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch/target_size.hpp"
#include "core/input_error.hpp"
#include "input/batch_file.hpp"
#include "input/models.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using testing::HasSubstr;

input::BatchFile read(const std::filesystem::path& path) {
  const auto list = read_list_text(path);
  return input::parse_batch(list.text, list.file.string());
}

std::string table_error(const std::string& text) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.csv", text);
  try {
    (void)read_list_text(folder / "a.csv");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ListText, FastaRecordsAreChains) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "all.fasta", ">sp|P1|A_B one\nGG[SEP]\nPT\n>b\nMKV\n");
  const auto list = read(folder / "all.fasta");
  ASSERT_EQ(list.targets.size(), 2U);
  EXPECT_EQ(list.only_protocol, input::Protocol::chain);
  EXPECT_EQ(list.targets[0].name, "sp_P1_A_B");
  const auto input = input::read_target_input(list, list.targets[0]);
  EXPECT_EQ(input.protocol, input::Protocol::chain);
  const auto settings = chain_settings(input, {"dynamics.temperature_kelvin=310"}, 100);
  ASSERT_EQ(settings.system.species.size(), 1U);
  EXPECT_EQ(settings.system.species[0].sequence, "GG[SEP]PT");
  EXPECT_EQ(settings.force_field.model, input::find_model("calvados2"));
  EXPECT_EQ(settings.ensemble.lowest_kelvin, 310);
  EXPECT_EQ(settings.ensemble.replicas(), 16);
  EXPECT_EQ(settings.ensemble.sample_every_steps, 3000);
  EXPECT_EQ(settings.dynamics.steps, 1'500'000);
  EXPECT_NE(settings.dynamics.seed,
            chain_settings(input::read_target_input(list, list.targets[1]), {}, 3).dynamics.seed);
}

TEST(ListText, ColumnsOfTableAreKeys) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.csv",
                   "name,temperature_kelvin,sequence,ionic_strength_molar,dynamics.steps\r\n"
                   "cold,280,MKV,0.2,\r\n\r\n\"warm\",320,MKV,,5000\r\n");
  const auto list = read(folder / "a.csv");
  ASSERT_EQ(list.targets.size(), 2U);
  EXPECT_EQ(list.targets[1].at.line, 4);
  const auto cold = chain_settings(input::read_target_input(list, list.targets[0]), {}, 3);
  const auto warm = chain_settings(input::read_target_input(list, list.targets[1]), {}, 3);
  EXPECT_EQ(cold.ensemble.lowest_kelvin, 280);
  EXPECT_EQ(cold.force_field.condensate.ionic_strength_molar, 0.2);
  EXPECT_EQ(warm.ensemble.lowest_kelvin, 320);
  EXPECT_EQ(warm.dynamics.steps, 5000);
}

TEST(ListText, TableErrorsNameLineAndColumn) {
  EXPECT_THAT(table_error("name,temperature_kelvin\na,3\n"), HasSubstr("no column 'sequence'"));
  EXPECT_THAT(table_error("name,sequence,colour\n"), HasSubstr("a.csv:1: column 'colour'"));
  EXPECT_THAT(table_error("name,sequence\na,MKV\nb\n"), HasSubstr("a.csv:3: 1 fields, 2 columns"));
}

TEST(ListText, FolderHasSequencesOrStructures) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "b.csv", "name,sequence\nb,MKV\n");
  test::write_file(folder / "a.fasta", ">a\nMKV\n");
  test::write_file(folder / "README", "text");
  const auto list = read(folder.path());
  ASSERT_EQ(list.targets.size(), 2U);
  EXPECT_EQ(list.targets[0].name, "a");
  test::write_file(folder / "c.pdb", "");
  EXPECT_THROW((void)read_list_text(folder.path()), core::InputError);
}

TEST(ListText, SequenceMayStandInList) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "list.yaml",
                   "targets:\n- {name: a, sequence: MKV}\n- {structure: b.pdb}\n");
  EXPECT_FALSE(read_list_text(folder / "list.yaml").is_list);
  const auto list = read(folder / "list.yaml");
  EXPECT_FALSE(list.only_protocol);
  EXPECT_EQ(input::read_target_input(list, list.targets[0]).protocol, input::Protocol::chain);
  EXPECT_EQ(input::read_target_input(list, list.targets[1]).protocol, input::Protocol::folding);
}

}  // namespace
}  // namespace nfold::batch
