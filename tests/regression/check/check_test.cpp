// nfold check and nfold help as a person calls them: what they print and how they end.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/memory_estimate.hpp"
#include "config/reference.hpp"

namespace nfold::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Answer {
  ExitCode exit_code;
  std::string out, err;
};

/// Calls a command as main does.
Answer call(std::vector<std::string> arguments) {
  Launch launch;
  CLI::App app{"nfold", "nfold"};
  add_check(app, launch);
  add_help(app, launch);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(arguments);
  } catch (const std::exception& failure) {
    print_error(failure.what());
    launch.exit_code = exit_code_of(failure);
  }
  const std::string out = testing::internal::GetCapturedStdout();
  return {launch.exit_code, out, testing::internal::GetCapturedStderr()};
}

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

class Check : public testing::Test {
 protected:
  Check() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Check() override { fs::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  fs::path folder = fs::path(testing::TempDir()) / "nfold_check_test";
  std::string output = (folder / "out").string();
  const std::string example = NFOLD_SOURCE_DIR "/input/ubiquitin.yaml";
};

TEST_F(Check, AcceptsEveryExampleWithoutTouchingAnything) {
  for (const auto& entry : fs::directory_iterator(NFOLD_SOURCE_DIR "/input")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto answer = call({"check", entry.path().string(), "--output", output});
    EXPECT_EQ(answer.exit_code, ExitCode::done) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("can run"));
    EXPECT_EQ(answer.err, "");
  }
  EXPECT_FALSE(fs::exists(output));
}

TEST_F(Check, SaysWhatWillRun) {
  const auto answer = call({"check", example, "--output", output});
  EXPECT_THAT(answer.out, HasSubstr("76 residues"));
  EXPECT_THAT(answer.out, HasSubstr("190 contacts"));
  EXPECT_THAT(answer.out, HasSubstr("memory: about"));
  EXPECT_THAT(answer.out, HasSubstr("start: unfolded"));
}

TEST_F(Check, ListsInputAndFolderErrorsTogether) {
  write("out", "a file where the folder should be");
  const auto answer = call({"check", example, "--output", output, "--set", "dynamics.seed=x",
                            "--set", "dynamics.steps=-1"});
  EXPECT_EQ(answer.exit_code, ExitCode::wrong_input);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(lines_of(answer.err), 3);
  EXPECT_THAT(answer.err, HasSubstr("is a file, not a folder"));
  EXPECT_THAT(answer.err, HasSubstr("dynamics.seed = x"));
  EXPECT_THAT(answer.err, HasSubstr("dynamics.steps = -1"));
}

TEST_F(Check, NamesAStructureThatCannotBeRead) {
  const auto missing =
      call({"check", example, "--output", output, "--set", "system.structure=nope.pdb"});
  EXPECT_EQ(missing.exit_code, ExitCode::wrong_input);
  EXPECT_EQ(lines_of(missing.err), 1);
  EXPECT_THAT(missing.err, HasSubstr("nope.pdb"));
  const auto chain = call({"check", example, "--output", output, "--set", "system.chains=[Z]"});
  EXPECT_EQ(chain.exit_code, ExitCode::wrong_input);
  EXPECT_THAT(chain.err, HasSubstr("'Z'"));
}

TEST_F(Check, NamesACheckpointThatCannotBeRead) {
  const std::string input =
      write("a.yaml", "system: {structure: " NFOLD_SOURCE_DIR
                      "/input/structures/1ubq.pdb.gz}\n"
                      "start: {checkpoint: missing.ckpt.h5}\ndynamics: {steps: 1}\n");
  const auto answer = call({"check", input, "--output", output});
  EXPECT_EQ(answer.exit_code, ExitCode::wrong_input);
  EXPECT_THAT(answer.err, HasSubstr("missing.ckpt.h5"));
}

TEST_F(Check, RefusesAnothersFolderUnlessItMayGo) {
  fs::create_directories(output);
  std::ofstream(fs::path(output) / "other.status") << "state: done\n";
  const auto refused = call({"check", example, "--output", output});
  EXPECT_EQ(refused.exit_code, ExitCode::wrong_input);
  EXPECT_THAT(refused.err, HasSubstr("another input, 'other'"));
  EXPECT_EQ(call({"check", example, "--output", output, "--overwrite"}).exit_code, ExitCode::done);
  EXPECT_TRUE(fs::exists(fs::path(output) / "other.status"));
}

TEST_F(Check, NamesKeysThatChangedSinceTheFolderWasBegun) {
  fs::create_directories(output);
  std::ofstream(fs::path(output) / "ubiquitin.input.yaml")
      << "system: {structure: structures/1ubq.pdb.gz}\ndynamics: {steps: 1, seed: 99}\n";
  const auto answer = call({"check", example, "--output", output});
  EXPECT_EQ(answer.exit_code, ExitCode::wrong_input);
  EXPECT_THAT(answer.err, HasSubstr("dynamics.seed"));
  EXPECT_TRUE(fs::exists(fs::path(output) / "ubiquitin.input.yaml"));
}

TEST(Help, PrintsTopicsAndTheReference) {
  EXPECT_THAT(call({"help"}).out, HasSubstr("Sections of an input file"));
  EXPECT_THAT(call({"help", "time_step_ps"}).out, HasSubstr("default:  0.0005"));
  EXPECT_EQ(call({"help", "--reference"}).out, config::reference_markdown());
  const auto unknown = call({"help", "sede"});
  EXPECT_EQ(unknown.exit_code, ExitCode::wrong_input);
  EXPECT_EQ(lines_of(unknown.err), 1);
}

TEST(MemoryEstimate, CountsNeighboursAndGrowsWithTheSystem) {
  topology::Topology line;  // residues 1 nm apart
  for (int i = 0; i < 50; ++i) {
    line.residues.emplace_back();
    line.native_nm.push_back({0.5 + i, -3, 7});
  }
  EXPECT_EQ(most_neighbours(line, 0.9), 0);
  EXPECT_EQ(most_neighbours(line, 1.1), 2);
  EXPECT_EQ(most_neighbours(line, 5.5), 10);
  const auto small = estimate_memory(line, 1.1);
  for (auto& x_nm : line.native_nm) x_nm = {0, 0, 0};
  const auto dense = estimate_memory(line, 1.1);
  EXPECT_GT(dense.engine_bytes, small.engine_bytes);
  EXPECT_EQ(dense.topology_bytes, small.topology_bytes);
}

}  // namespace
}  // namespace nfold::cli
