// nfold check and nfold help as a user calls them: output and exit codes.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>

#include <sstream>

#include "check_fixture.hpp"
#include "input/input.hpp"
#include "input/reference.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::cli {
namespace {

using testing::HasSubstr;

TEST_F(Check, AcceptsEveryExampleWithoutWriting) {
  int examples = 0;
  for (const auto& entry : fs::directory_iterator(NFOLD_SOURCE_DIR "/input")) {
    if (entry.path().extension() != ".yaml") continue;
    if (entry.path().stem() == "targets") continue;  // a list for nfold batch
    ++examples;
    const auto answer = call({"check", entry.path().string(), "--output", output});
    EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("can run"));
    EXPECT_EQ(answer.err, "");
  }
  EXPECT_GT(examples, 10);
  EXPECT_FALSE(fs::exists(output));
}

TEST_F(Check, PrintsResiduesContactsMemoryAndStart) {
  const auto answer = call({"check", example, "--output", output});
  EXPECT_THAT(answer.out, HasSubstr("76 residues"));
  EXPECT_THAT(answer.out, HasSubstr("190 12-10 contacts"));
  EXPECT_THAT(answer.out, HasSubstr("memory: planned "));
  EXPECT_THAT(answer.out, HasSubstr("start: unfolded"));
}

/// Time printed between "time here: about" and the machine, or nothing. Its value depends on the
/// machine.
std::string printed_time(const std::string& out) {
  const std::string before = "time here: about ", after = " on 1 rank x ";
  const auto from = out.find(before);
  const auto to = out.find(after, from);
  if (from == std::string::npos || to == std::string::npos) return {};
  return out.substr(from + before.size(), to - from - before.size());
}

TEST_F(Check, PrintsTimeOfRunAndOfReplicas) {
  if (replicas::build_processor() == replicas::ReplicaProcessor::gpu) {
    GTEST_SKIP() << "a build for GPUs does not try steps";
  }
  const std::vector<std::string> plain{"check", example, "--output", output, "--threads", "1"};
  const auto alone = call(plain, true);
  EXPECT_EQ(alone.exit_code, core::ExitCode::done) << alone.err;
  EXPECT_EQ(alone.err, "");
  EXPECT_THAT(printed_time(alone.out), testing::ContainsRegex("(day|h|min|s|second)"));
  EXPECT_THAT(alone.out, HasSubstr("1 rank x 1 thread ("));
  EXPECT_EQ(printed_time(call(plain).out), "") << "--no-time";
  const std::string exchange = NFOLD_SOURCE_DIR "/input/ubiquitin-exchange.yaml";
  const auto replicas = call({"check", exchange, "--output", output, "--threads", "1"}, true);
  EXPECT_NE(printed_time(replicas.out), "");
  EXPECT_THAT(replicas.out, HasSubstr("(64 replicas x 2000000 steps at "));
  EXPECT_FALSE(fs::exists(output));
}

TEST_F(Check, RefusedInputTriesNoSteps) {
  const auto answer =
      call({"check", example, "--output", output, "--set", "dynamics.steps=-1"}, true);
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input);
  EXPECT_EQ(answer.out, "");
}

TEST_F(Check, WarnsOfFailingFirstSteps) {
  if (replicas::build_processor() == replicas::ReplicaProcessor::gpu) {
    GTEST_SKIP() << "a build for GPUs does not try steps";
  }
  const auto answer =
      call({"check", example, "--output", output, "--threads", "1", "--set",
            "dynamics.time_step_ps=0.06", "--set", "dynamics.temperature_kelvin=90000"},
           true);
  EXPECT_THAT(answer.out, HasSubstr("warning: the first steps fail when they are tried: "));
  EXPECT_EQ(printed_time(answer.out), "");
}

TEST_F(Check, WarnsOfColdStart) {
  const auto answer = call({"check", example, "--output", output, "--set", "start.from=native",
                            "--set", "observables.every_steps=100"});
  EXPECT_THAT(answer.out, HasSubstr("warning: start.from = native begins at a minimum"));
  EXPECT_THAT(answer.out, HasSubstr("Set observables.equilibration_steps to at least "));
  EXPECT_THAT(call({"check", example, "--output", output}).out,
              testing::Not(HasSubstr("begins at a minimum")));
}

TEST_F(Check, ListsInputAndFolderErrorsTogether) {
  write("out", "a file where the folder should be");
  const auto answer = call({"check", example, "--output", output, "--set", "dynamics.seed=x",
                            "--set", "dynamics.steps=-1"});
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(line_count(answer.err), 3);
  EXPECT_THAT(answer.err, HasSubstr("is a file, not a folder"));
  EXPECT_THAT(answer.err, HasSubstr("dynamics.seed = x"));
  EXPECT_THAT(answer.err, HasSubstr("dynamics.steps = -1"));
}

TEST_F(Check, NamesUnreadableStructure) {
  const auto missing =
      call({"check", example, "--output", output, "--set", "system.structure=nope.pdb"});
  EXPECT_EQ(missing.exit_code, core::ExitCode::wrong_input);
  EXPECT_EQ(line_count(missing.err), 1);
  EXPECT_THAT(missing.err, HasSubstr("nope.pdb"));
  const auto chain = call({"check", example, "--output", output, "--set", "system.chains=[Z]"});
  EXPECT_EQ(chain.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(chain.err, HasSubstr("'Z'"));
}

struct Refusal {
  std::string name;
  std::vector<std::string> settings;  // values of --set that spoil a correct input
  std::string message;
};

class CheckCondensate : public Check, public testing::WithParamInterface<Refusal> {};

// Errors that only the input's files and the system's builders find.
TEST_P(CheckCondensate, IsRefused) {
  write("own.yaml", "form: ashbaugh-hatch\n");
  write("bad.fasta", ">p\nMKV\nGXG\n");
  const std::string input =
      write("a.yaml",
            "system:\n  species:\n    - {name: p, sequence: GGKKDDGG}\n  box_nm: 20\n"
            "force_field: {model: calvados2}\ndynamics: {steps: 1}\n");
  ASSERT_EQ(call({"check", input, "--output", output}).exit_code, core::ExitCode::done);
  std::vector<std::string> arguments{"check", input, "--output", output};
  for (const auto& setting : GetParam().settings) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const auto answer = call(arguments);
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr(GetParam().message));
}

const std::string ubiquitin = NFOLD_SOURCE_DIR "/input/structures/1ubq.pdb.gz";

INSTANTIATE_TEST_SUITE_P(
    All, CheckCondensate,
    testing::Values(
        Refusal{"small_box",
                {"system.box_nm=7.9"},
                "the box is 7.9 nm long along x, less than twice the longest cutoff, 4 nm"},
        Refusal{"small_cube",
                {"system.box_nm=[]", "system.concentration_mg_per_ml=50"},
                "less than twice the longest cutoff"},
        Refusal{"no_molecule",
                {"system.species=[{name: p, sequence: GG, concentration_millimolar: 0.01}]"},
                "system.species[0]: its concentration makes 0 molecules in this box"},
        Refusal{"unknown_letter",
                {"system.species=[{name: p, sequence: GUG}]"},
                "species p: 'U' at 2 of the sequence"},
        Refusal{"fasta_letter",
                {"system.species=[{name: p, fasta: bad.fasta}]"},
                "bad.fasta:3:2: 'X' stands for no residue of 'p'"},
        Refusal{"no_fasta", {"system.species=[{name: p, fasta: none.fasta}]"}, "none.fasta"},
        Refusal{"no_record",
                {"system.species=[{name: p, fasta: " NFOLD_SOURCE_DIR
                 "/input/sequences.fasta, record: none}]"},
                "no record 'none'; it has A1, aSyn"},
        Refusal{"long_domain",
                {"system.species=[{name: p, structure: " + ubiquitin + ", domains: [1-80]}]"},
                "domain '1-80': the structure lacks residues of A:1-80 (the structure has 1 to 76"},
        Refusal{
            "domain_twice",
            {"system.species=[{name: p, structure: " + ubiquitin + ", domains: [1-40, 40-60]}]"},
            "residue GLN 40 is in domain 1 already"},
        Refusal{"domain_of_sequence",
                {"system.species=[{name: p, sequence: GGGG, domains: [1-3]}]"},
                "GLY 1 (chain A) is in a folded domain, but there is no structure"},
        Refusal{"own_table", {"force_field.table=own.yaml"}, "own.yaml:1:1: key 'coulomb_kj"},
        Refusal{"no_table", {"force_field.table=none.yaml"}, "none.yaml"},
        Refusal{
            "frozen_water", {"dynamics.temperature_kelvin=0"}, "the dielectric constant of water"},
        Refusal{"long_step", {"dynamics.time_step_ps=0.09"}, "bonds explode from 0.0843 ps on"},
        Refusal{"long_step_of_go_domains",
                {"force_field.domains=go", "force_field.epsilon_kj_mol=40",
                 "dynamics.time_step_ps=0.01",
                 "system.species=[{name: p, structure: " + ubiquitin + ", domains: [1-70]}]"},
                "bonds explode from 0.00844 ps on"}),
    [](const auto& one) { return one.param.name; });

TEST_F(Check, PrintsContentsOfCondensate) {
  const auto answer =
      call({"check", NFOLD_SOURCE_DIR "/input/calvados3-domains.yaml", "--output", output});
  EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("pairs: Ashbaugh-Hatch, up to 2 nm, shifted"));
  EXPECT_THAT(answer.out, HasSubstr("dielectric constant 78.46, Debye length 0.785 nm"));
  EXPECT_THAT(answer.out, HasSubstr("histidine: +0.0909 e at pH 7"));
  EXPECT_THAT(answer.out, HasSubstr("light: 10 molecules of 211 residues, 2 folded domains"));
  EXPECT_THAT(answer.out, HasSubstr("box 25 x 25 x 25 nm"));
  EXPECT_THAT(answer.out, HasSubstr(" springs of elastic networks"));
}

TEST_F(Check, ListsHeldAndFreeResidues) {
  const auto answer =
      call({"check", NFOLD_SOURCE_DIR "/input/alphafold-model.yaml", "--output", output});
  EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("residues lysozyme.1 1-17 (17 residues): free"));
  EXPECT_THAT(answer.out, HasSubstr("residues lysozyme.1 18-147 (130 residues): domain 1, "));
}

TEST_F(Check, NamesUnreadableCheckpoint) {
  const std::string input =
      write("a.yaml", "system: {structure: " NFOLD_SOURCE_DIR
                      "/input/structures/1ubq.pdb.gz}\n"
                      "start: {checkpoint: missing.ckpt.h5}\ndynamics: {steps: 1}\n");
  const auto answer = call({"check", input, "--output", output});
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(answer.err, HasSubstr("missing.ckpt.h5"));
}

TEST_F(Check, RefusesFolderOfAnotherInput) {
  fs::create_directories(output);
  std::ofstream(fs::path(output) / "other.status") << "state: done\n";
  const auto refused = call({"check", example, "--output", output});
  EXPECT_EQ(refused.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(refused.err, HasSubstr("another input, 'other'"));
  EXPECT_EQ(call({"check", example, "--output", output, "--overwrite"}).exit_code,
            core::ExitCode::done);
  EXPECT_TRUE(fs::exists(fs::path(output) / "other.status"));
}

TEST_F(Check, NamesKeysChangedSinceFolderWasBegun) {
  fs::create_directories(output);
  std::ofstream(fs::path(output) / "ubiquitin.input.yaml") << input::write_input(input::parse_input(
      "system: {structure: structures/1ubq.pdb.gz}\ndynamics: {steps: 1, seed: 99}\n",
      "before.yaml"));
  const auto answer = call({"check", example, "--output", output});
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(answer.err, HasSubstr("dynamics.seed"));
  EXPECT_TRUE(fs::exists(fs::path(output) / "ubiquitin.input.yaml"));
}

TEST(Help, PrintsTopicsAndTheReference) {
  EXPECT_THAT(call({"help"}).out, HasSubstr("Sections of an input file"));
  EXPECT_THAT(call({"help", "time_step_ps"}).out, HasSubstr("default:  0.0005"));
  EXPECT_EQ(call({"help", "--reference"}).out, input::reference_markdown());
  const auto unknown = call({"help", "sede"});
  EXPECT_EQ(unknown.exit_code, core::ExitCode::wrong_input);
  EXPECT_EQ(line_count(unknown.err), 1);
}

}  // namespace
}  // namespace nfold::cli
