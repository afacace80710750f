// nfold compare: compares the content of two files of runs.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "io/file_compare.hpp"
#include "session/job/failure.hpp"

namespace nfold::cli {

namespace {

struct CompareOptions {
  std::string a, b;
  bool json = false;
};

core::ExitCode compare(const CompareOptions& options) {
  try {
    const auto differences = io::compare_files(options.a, options.b);
    if (options.json) {
      const nlohmann::json json{{"same", differences.empty()}, {"differences", differences}};
      std::cout << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    } else {
      for (const auto& line : differences) std::cout << line << '\n';
      if (differences.empty()) std::cout << "same: all content but provenance\n";
    }
    return differences.empty() ? core::ExitCode::done : core::ExitCode::wrong_input;
  } catch (const storage::FileError& failure) {
    core::print_error(failure.what());
    return core::ExitCode::failed;  // scripts distinguish "different" from "unreadable"
  }
}

}  // namespace

void add_compare(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare",
                         "Compares the content of two files of runs, but for their provenance.\n"
                         "Exit code 0: the same; 1: different; 3: one cannot be read.");
  command
      ->add_option("A", options->a,
                   "A checkpoint, trajectory (.h5md), other .h5 file or .csv table")
      ->required();
  command->add_option("B", options->b, "Another of the same kind")->required();
  command->add_flag("--json", options->json, "As JSON, for programs");
  command->callback([options, &invocation] {
    invocation.exit_code = job::is_root_before_mpi() ? compare(*options) : core::ExitCode::done;
  });
}

}  // namespace nfold::cli
