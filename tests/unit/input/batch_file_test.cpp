// Batch list: keys, target names, errors and precedence of layers.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/batch_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "input/input.hpp"
#include "input/named_files.hpp"
#include "input/reference.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::input {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Printed problems of a whole list. Empty if it is accepted.
std::string list_error(const std::string& text) {
  try {
    (void)parse_batch(text, "list.yaml");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

/// Printed problems of the first target's settings.
std::string target_error(const std::string& text) {
  const auto batch = parse_batch(text, "list.yaml");
  try {
    (void)read_target_input(batch, batch.targets.at(0)).settings({"dynamics.steps=1"}, {});
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

input::Settings target_settings(const std::string& text, const std::vector<std::string>& first,
                                const std::vector<std::string>& last) {
  const auto batch = parse_batch(text, "list.yaml");
  return read_target_input(batch, batch.targets.at(0)).settings(first, last);
}

TEST(ParseBatch, ReadsEveryKey) {
  const auto batch = parse_batch(
      "batch: {protocol: run, budget_gpu_seconds: 2.5, seed: 7, execution: cpu, machine: m.yaml,"
      " idle_ranks_join: false, ranks_per_node: 4}\n"
      "input: {dynamics: {steps: 50}}\n"
      "targets:\n"
      "- structure: a.pdb.gz\n"
      "- {name: second, structure: b.cif, chains: [A, \"B:1-9\"], model: 2, protocol: folding,"
      " execution: gpu}\n",
      "folder/list.yaml");
  EXPECT_EQ(batch.file, "folder/list.yaml");
  EXPECT_EQ(batch.protocol, Protocol::run);
  EXPECT_EQ(batch.budget_gpu_seconds, 2.5);
  EXPECT_EQ(batch.seed, 7U);
  EXPECT_EQ(batch.execution, Execution::cpu);
  EXPECT_EQ(batch.machine, "m.yaml");
  EXPECT_FALSE(batch.idle_ranks_join);
  EXPECT_EQ(batch.ranks_per_node, 4);
  ASSERT_EQ(batch.targets.size(), 2U);
  EXPECT_EQ(batch.targets[0].name, "a");
  EXPECT_EQ(batch.targets[1].at.line, 5);
  EXPECT_EQ(read_target_input(batch, batch.targets[0]).protocol, Protocol::run);
  const auto second = read_target_input(batch, batch.targets[1]);
  EXPECT_EQ(second.protocol, Protocol::folding);
  EXPECT_EQ(second.execution, Execution::gpu);
  EXPECT_EQ(read_target_input(batch, batch.targets[0]).execution, Execution::cpu);
  const auto settings = second.settings({}, {});
  EXPECT_EQ(settings.system.structure, "b.cif");
  EXPECT_THAT(settings.system.chains, ElementsAre("A", "B:1-9"));
  EXPECT_EQ(settings.system.model, 2);
  EXPECT_EQ(settings.dynamics.steps, 50);
  EXPECT_EQ(settings.dynamics.seed, target_seed(7, "second"));
}

TEST(ParseBatch, TakesDefaults) {
  const auto batch = parse_batch("targets: [{structure: a.pdb}]", "list.yaml");
  EXPECT_EQ(batch.protocol, Protocol::folding);
  EXPECT_EQ(batch.budget_gpu_seconds, 0);
  EXPECT_EQ(batch.seed, 1U);
  EXPECT_EQ(batch.execution, Execution::automatic);
  EXPECT_EQ(batch.machine, "");
  EXPECT_TRUE(batch.idle_ranks_join);
  EXPECT_EQ(batch.ranks_per_node, 0);
}

TEST(ParseBatch, NamesTargetsByTheirFiles) {
  const auto batch = parse_batch(
      "targets:\n"
      "- structure: folder/1ubq.pdb.gz\n"
      "- structure: 7cfn.cif.gz\n"
      "- structure: old.ent\n"
      "- input_file: ../mine.yaml\n"
      "- name: 2026\n"
      "- structure: .pdb\n"
      "  name: own\n",
      "list.yaml");
  std::vector<std::string> names;
  names.reserve(batch.targets.size());
  for (const auto& target : batch.targets) names.push_back(target.name);
  EXPECT_THAT(names, ElementsAre("1ubq", "7cfn", "old", "mine", "2026", "own"));
}

TEST(ParseBatch, ErrorsNameLineAndColumn) {
  EXPECT_THAT(list_error("batch: {protocol: fold}\ntargets: [{structure: a.pdb}]\n"),
              AllOf(HasSubstr("list.yaml:1:19"), HasSubstr("must be one of folding, chain, run")));
  EXPECT_THAT(list_error("targets:\n- structure: a.pdb\nbatch:\n  budget_gpu_seconds: -1\n"),
              AllOf(HasSubstr("list.yaml:4:23"), HasSubstr("batch.budget_gpu_seconds = -1")));
  EXPECT_THAT(list_error("targets: [{structure: a.pdb}]\nbatch:\n  seed: x\n"),
              AllOf(HasSubstr("list.yaml:3:9"), HasSubstr("whole number")));
  EXPECT_THAT(list_error("target:\n- structure: a.pdb\n"),
              AllOf(HasSubstr("list.yaml:1:1"), HasSubstr("did you mean 'targets'?")));
  EXPECT_THAT(list_error("targets: [{structure: a.pdb}]\nbatch:\n  execution: tpu\n"),
              AllOf(HasSubstr("list.yaml:3:14"), HasSubstr("one of auto, cpu, gpu")));
  EXPECT_THAT(list_error("batch: 5\ntargets: [{structure: a.pdb}]\n"), HasSubstr("'batch' is 5"));
  EXPECT_THAT(list_error("batch: {}\n"), HasSubstr("'targets' is missing"));
  EXPECT_THAT(list_error(""), HasSubstr("'targets' is missing"));
  EXPECT_THAT(list_error("targets: []\n"), HasSubstr("no list"));
  EXPECT_THAT(list_error("targets: a.pdb\n"), HasSubstr("no list"));
}

TEST(ParseBatch, ReportsAllErrorsAtOnce) {
  EXPECT_THAT(
      list_error("batch: {seed: x, protocl: run}\ntargets:\n- {name: a/b}\n- {}\n"),
      AllOf(HasSubstr("seed"), HasSubstr("protocol"), HasSubstr("a/b"), HasSubstr("list.yaml:4")));
}

TEST(ParseBatch, RefusesInvalidFolderNames) {
  for (const char* name :
       {"a/b", "..", ".hidden", "-rf", "\"\"", "\"a b\"", "\"a\\nb\"", "caf\u00e9"}) {
    EXPECT_THAT(list_error(std::string("targets:\n- {structure: a.pdb, name: ") + name + "}\n"),
                AllOf(HasSubstr("list.yaml:2"), HasSubstr("letters, digits")))
        << name;
  }
  EXPECT_THAT(list_error("targets:\n- name: " + std::string(101, 'x')), HasSubstr("letters"));
  EXPECT_EQ(list_error("targets:\n- name: " + std::string(100, 'x')), "");
  EXPECT_EQ(list_error("targets:\n- name: A1.b_c-d+e\n"), "");
}

TEST(ParseBatch, RefusesNamesOfBatchFiles) {
  for (const char* name : {"results.csv", "batch.log", "batch.yaml.tmp", "failed.part-1-of-2.csv",
                           "batch.rank-0.status", "batch.trace.json", "batch.incidents.jsonl"}) {
    EXPECT_THAT(list_error(std::string("targets:\n- {structure: a.pdb, name: ") + name + "}\n"),
                HasSubstr("list.yaml:2:3: a target is named '" + std::string(name) +
                          "', as a file that the batch writes"));
  }
  for (const char* name : {"batch", "results.2", "times", "a.csv"}) {
    EXPECT_EQ(list_error(std::string("targets:\n- name: ") + name + "\n"), "") << name;
  }
}

TEST(ParseBatch, UnnamedTargetErrorNamesCause) {
  EXPECT_THAT(list_error("targets:\n- structur: a.pdb\n"),
              AllOf(HasSubstr("list.yaml:2:3: unknown key 'structur' in 'targets[0]'"),
                    HasSubstr("did you mean 'structure'?")));
  EXPECT_THAT(list_error("targets:\n- a.pdb\n"),
              AllOf(HasSubstr("list.yaml:2:3: a target is a.pdb"),
                    HasSubstr("write '- structure: a.pdb'")));
  EXPECT_THAT(list_error("targets:\n- {model: 2}\n"), HasSubstr("a target without a name"));
}

TEST(ParseBatch, ErrorMasksControlCharacters) {
  const auto error = list_error("targets:\n- {structure: a.pdb, name: \"a\\nb\\eC\"}\n");
  EXPECT_THAT(error, HasSubstr("list.yaml:2:3: a target is named 'a?b?C'"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(ParseBatch, RefusesDuplicateTargetNames) {
  EXPECT_THAT(
      list_error("targets:\n- structure: a/x.pdb\n- structure: y.pdb\n- structure: b/x.cif\n"),
      AllOf(HasSubstr("list.yaml:4"), HasSubstr("second target 'x'"), HasSubstr("line 2")));
}

TEST(ReadTargetInput, ReportsErrorsOfOneTarget) {
  EXPECT_THAT(target_error("targets:\n- structur: a.pdb\n  name: a\n"),
              AllOf(HasSubstr("list.yaml:2:3"), HasSubstr("did you mean 'structure'?")));
  EXPECT_THAT(target_error("targets:\n- name: a\n  structure: a.pdb\n  protocol: fast\n"),
              AllOf(HasSubstr("list.yaml:4:13"), HasSubstr("targets.a.protocol = fast")));
  EXPECT_THAT(target_error("targets:\n- structure: a.pdb\n  execution: fast\n"),
              AllOf(HasSubstr("list.yaml:3:14"), HasSubstr("one of auto, cpu, gpu")));
  EXPECT_THAT(target_error("targets:\n- structure: a.pdb\n  chains: {A: 1}\n"),
              HasSubstr("chains = a section (must be a list of texts"));
  EXPECT_THAT(target_error("targets:\n- name: a\n  structure: ''\n"),
              AllOf(HasSubstr("list.yaml:3:14"), HasSubstr("targets.a.structure = an empty text")));
  EXPECT_THAT(target_error("targets:\n- {structure: a.pdb, input_file: a.yaml}\n"),
              HasSubstr("give one of them"));
  EXPECT_THAT(target_error("targets:\n- {input_file: a.yaml, chains: [A]}\n"),
              HasSubstr("beside input_file"));
  EXPECT_THAT(target_error("targets:\n- structure: a.pdb\n  input:\n    dynamics: {stps: 5}\n"),
              AllOf(HasSubstr("list.yaml:4:16"), HasSubstr("steps")));
  EXPECT_THAT(target_error("targets:\n- input_file: no-such-file.yaml\n"),
              HasSubstr("no-such-file.yaml"));
  EXPECT_EQ(target_error("targets:\n- structure: a.pdb\n"), "");
}

TEST(ReadTargetInput, LaterLayersWin) {
  const std::string common = "input: {dynamics: {steps: 2, friction_per_ps: 0.2, seed: 22}}\n";
  const std::string plain = "targets: [{structure: a.pdb}]\n";
  const std::string own = "targets: [{structure: a.pdb, input: {dynamics: {steps: 3}}}]\n";
  const std::vector<std::string> first{"dynamics.steps=1", "dynamics.time_step_ps=0.001"};
  EXPECT_EQ(target_settings(plain, first, {}).dynamics.steps, 1);
  EXPECT_EQ(target_settings(common + plain, first, {}).dynamics.steps, 2);
  EXPECT_EQ(target_settings(common + own, first, {}).dynamics.steps, 3);
  const auto settings = target_settings(common + own, first, {"dynamics.steps=4"});
  EXPECT_EQ(settings.dynamics.steps, 4);
  // Keys that the upper layer does not set keep their values.
  EXPECT_EQ(settings.dynamics.friction_per_ps, 0.2);
  EXPECT_EQ(settings.dynamics.time_step_ps, 0.001);
  EXPECT_EQ(settings.dynamics.seed, 22U) << "a seed that is given is kept";
}

TEST(ReadTargetInput, ListOverridesInputFile) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "mine.yaml",
                   "system: {structure: mine.pdb}\ndynamics: {steps: 10, friction_per_ps: 0.1}\n");
  const auto file = (folder / "list.yaml").string();
  const auto batch = parse_batch(
      "input: {dynamics: {steps: 20}}\ntargets: [{input_file: mine.yaml, protocol: run}]\n", file);
  const auto input = read_target_input(batch, batch.targets.at(0));
  EXPECT_EQ(input.path_base, folder / "mine.yaml");
  const auto settings = input.settings({"dynamics.steps=5"}, {});
  EXPECT_EQ(settings.dynamics.steps, 20);
  EXPECT_EQ(settings.dynamics.friction_per_ps, 0.1);
  EXPECT_EQ(settings.system.structure, "mine.pdb");
}

/// Keys in a message that says "it takes a, b, c".
std::vector<std::string> keys_taken(const std::string& message) {
  std::string list = message.substr(message.find("it takes ") + 9);
  list.resize(list.find(')'));
  std::vector<std::string> keys;
  for (std::size_t comma = 0; comma != std::string::npos; list.erase(0, comma + 2)) {
    comma = list.find(", ");
    keys.push_back(list.substr(0, comma));
    if (comma == std::string::npos) break;
  }
  return keys;
}

TEST(BatchHelp, ListsEveryKey) {
  std::size_t keys = 0;
  for (const std::string& message : {list_error("qqqqqqqqqqqq: 1\n"),
                                     list_error("batch: {qqqqqqqqqqqq: 1}\ntargets: [{name: a}]\n"),
                                     target_error("targets: [{name: a, qqqqqqqqqqqq: 1}]\n")}) {
    ASSERT_THAT(message, HasSubstr("it takes "));
    for (const auto& key : keys_taken(message)) {
      EXPECT_THAT(batch_help(), HasSubstr(" " + key + ":"));
      ++keys;
    }
  }
  EXPECT_EQ(keys, 19U);
  EXPECT_EQ(help_topic("batch"), batch_help());
  EXPECT_THAT(help_overview(), HasSubstr("nfold help batch"));
}

TEST(ReadTargetInput, ExampleListIsValid) {
  const std::string file = NFOLD_SOURCE_DIR "/input/targets.yaml";
  const auto batch = parse_batch(read_input_text(file), file);
  EXPECT_GE(batch.targets.size(), 4U);
  for (const auto& target : batch.targets) {
    const auto settings = read_target_input(batch, target).settings({"dynamics.steps=1"}, {});
    EXPECT_TRUE(std::filesystem::exists(path_from_input(file, settings.system.structure)));
  }
}

TEST(TargetSeed, DiffersBetweenTargets) {
  EXPECT_EQ(target_seed(1, "1ubq"), target_seed(1, "1ubq"));
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (int k = 0; k < 1000; ++k) seeds.insert(target_seed(seed, "target" + std::to_string(k)));
    seeds.insert(target_seed(seed, ""));
  }
  EXPECT_EQ(seeds.size(), 3003U);
}

TEST(TargetSeed, MatchesReferenceValues) {
  // Computed in Python: FNV-1a, then splitmix64.
  EXPECT_EQ(target_seed(1, "1ubq"), 7406860116468695320U);
  EXPECT_EQ(target_seed(42, ""), 14072922164880071404U);
}

TEST(RebasePaths, KeepsReferencedFiles) {
  input::Settings settings;
  settings.system.structure = "../structures/a.pdb";
  settings.force_field.condensate.table = "table.yaml";
  settings.start.checkpoint = "/elsewhere/a.ckpt.h5";
  input::SpeciesSettings species;
  species.fasta = "all.fasta";
  species.structure = "";
  settings.system.species.push_back(species);
  rebase_paths(settings, "/data/lists/list.yaml", "/data/list.out/a");
  EXPECT_EQ(settings.system.structure, "../../structures/a.pdb");
  EXPECT_EQ(settings.force_field.condensate.table, "../../lists/table.yaml");
  EXPECT_EQ(settings.start.checkpoint, "/elsewhere/a.ckpt.h5");
  EXPECT_EQ(settings.system.species[0].fasta, "../../lists/all.fasta");
  EXPECT_EQ(settings.system.species[0].structure, "");
  // The path from the new folder leads to the old file.
  EXPECT_EQ(
      path_from_input("/data/list.out/a/scan.yaml", settings.system.structure).lexically_normal(),
      "/data/structures/a.pdb");
}

TEST(BatchOfFolder, ListsStructuresAndInputs) {
  const test::TemporaryFolder folder;
  for (const char* name : {"b.pdb.gz", "a.cif", "c.yaml", "note.txt", "d.h5"}) {
    test::write_file(folder / name, "");
  }
  const auto batch = parse_batch(batch_of_folder(folder.path()), (folder / "targets").string());
  ASSERT_EQ(batch.targets.size(), 3U);
  EXPECT_EQ(batch.targets[0].name, "a");
  EXPECT_EQ(batch.targets[1].name, "b");
  EXPECT_EQ(batch.targets[2].name, "c");
  test::write_file(folder / "quote\"d.pdb", "");
  EXPECT_THROW((void)parse_batch(batch_of_folder(folder.path()), "list"), core::InputError)
      << "its name is no folder's; the text was one";
  const test::TemporaryFolder empty;
  EXPECT_THROW((void)batch_of_folder(empty.path()), core::InputError);
  EXPECT_THROW((void)batch_of_folder(empty / "none"), core::InputError);
}

}  // namespace
}  // namespace nfold::input
