// nfold check and nfold help as a user calls them, in a folder of the test's own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "session/job/failure.hpp"

namespace nfold::cli {

namespace fs = std::filesystem;

struct Answer {
  core::ExitCode exit_code;
  std::string out, err;
};

/// Calls a command as main does. check measures no time unless `with_time` is set.
inline Answer call(std::vector<std::string> arguments, bool with_time = false) {
  if (arguments.front() == "check" && !with_time) arguments.emplace_back("--no-time");
  job::Invocation invocation;
  CLI::App app{"nfold", "nfold"};
  add_check(app, invocation);
  add_help(app, invocation);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects reversed arguments
    app.parse(arguments);
  } catch (const std::exception& failure) {
    core::print_error(failure.what());
    invocation.exit_code = job::to_failure(failure).exit_code();
  }
  const std::string out = testing::internal::GetCapturedStdout();
  return {invocation.exit_code, out, testing::internal::GetCapturedStderr()};
}

inline long line_count(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

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

}  // namespace nfold::cli
