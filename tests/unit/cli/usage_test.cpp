// Command line arguments: lists after --set, and suggestions for typing errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/usage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace nfold::cli {
namespace {

using testing::ElementsAre;

std::vector<std::string> expanded(const std::vector<const char*>& words) {
  return repeat_list_options(words);
}

TEST(Usage, SetTakesSeveralValues) {
  EXPECT_THAT(
      expanded({"run", "--set", "dynamics.steps=1", "dynamics.seed=2", "x.yaml"}),
      ElementsAre("run", "--set", "dynamics.steps=1", "--set", "dynamics.seed=2", "x.yaml"));
  EXPECT_THAT(
      expanded({"--set=dynamics.steps=1", "force_field.contacts.map=calpha", "--quiet"}),
      ElementsAre("--set=dynamics.steps=1", "--set", "force_field.contacts.map=calpha", "--quiet"));
  // Each value has its own --set.
  EXPECT_THAT(expanded({"--set", "dynamics.steps=1", "--set", "dynamics.seed=2"}),
              ElementsAre("--set", "dynamics.steps=1", "--set", "dynamics.seed=2"));
}

TEST(Usage, ChainsAndDomainsTakeSeveralValues) {
  EXPECT_THAT(expanded({"prepare", "--chains", "L", "H:1-20,30", "1igt.pdb"}),
              ElementsAre("prepare", "--chains", "L", "--chains", "H:1-20,30", "1igt.pdb"));
  EXPECT_THAT(expanded({"prepare", "--chains=fab=L", "fab=H", "fab=1igt.pdb.gz", "--overwrite"}),
              ElementsAre("prepare", "--chains=fab=L", "--chains", "fab=H", "fab=1igt.pdb.gz",
                          "--overwrite"));
  EXPECT_THAT(expanded({"--domains", "1-40", "60-72", "seq.fasta:A1", "x"}),
              ElementsAre("--domains", "1-40", "--domains", "60-72", "seq.fasta:A1", "x"));
}

TEST(Usage, LeavesOtherArgumentsAlone) {
  // A species of nfold prepare, and values without --set.
  EXPECT_THAT(expanded({"--set", "dynamics.steps=1", "fus=fus.fasta"}),
              ElementsAre("--set", "dynamics.steps=1", "fus=fus.fasta"));
  EXPECT_THAT(expanded({"run", "dynamics.steps=1"}), ElementsAre("run", "dynamics.steps=1"));
  EXPECT_THAT(expanded({"--set", "dynamics.steps=1", "x.yaml", "dynamics.seed=2"}),
              ElementsAre("--set", "dynamics.steps=1", "x.yaml", "dynamics.seed=2"));
}

TEST(Usage, SuggestsNearestCommandAndOption) {
  CLI::App app;
  auto* run = app.add_subcommand("run");
  app.add_subcommand("prepare");
  run->add_flag("--overwrite");
  run->add_flag("-v,--verbose");
  EXPECT_EQ(suggest_command(app, "rnu"), "; did you mean 'run'?");
  EXPECT_EQ(suggest_command(app, "perpare"), "; did you mean 'prepare'?");
  EXPECT_EQ(suggest_command(app, "xyzzy"), "");
  EXPECT_EQ(suggest_option(*run, {"run", "-v", "--ovewrite"}), "; did you mean '--overwrite'?");
  EXPECT_EQ(suggest_option(*run, {"run", "--verbos=1"}), "; did you mean '--verbose'?");
  EXPECT_EQ(suggest_option(*run, {"run", "-overwrite"}), "; did you mean '--overwrite'?");
  EXPECT_EQ(suggest_option(*run, {"run", "--overwrite", "--xyzzy"}), "");
  EXPECT_EQ(suggest_option(*run, {"run", "--steps"}), "");
  run->add_option("--set");
  EXPECT_EQ(suggest_option(*run, {"run", "--steps"}), "; did you mean '--set dynamics.steps=...'?");
  EXPECT_EQ(suggest_option(*run, {"run", "--time-step-ps=1"}),
            "; did you mean '--set dynamics.time_step_ps=...'?");
  app.set_version_flag("--version", "1");
  EXPECT_EQ(suggest_command(app, "version"), "; did you mean '--version'?");
  EXPECT_EQ(suggest_option(app, {"--versoin"}), "; did you mean '--version'?");
}

}  // namespace
}  // namespace nfold::cli
