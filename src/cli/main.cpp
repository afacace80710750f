// The program nfold: parses the command line, calls one command, returns its exit code.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/ranks_of_job.hpp"
#include "cli/version.hpp"
#include "plan/dispatch.hpp"

namespace {

using nfold::cli::ExitCode;

void add_commands(CLI::App& app, nfold::cli::Launch& launch) {
  nfold::cli::add_batch(app, launch);
  nfold::cli::add_bench(app, launch);
  nfold::cli::add_check(app, launch);
  nfold::cli::add_compare(app, launch);
  nfold::cli::add_export(app, launch);
  nfold::cli::add_prepare(app, launch);
  nfold::cli::add_help(app, launch);
  nfold::cli::add_run(app, launch);
}

// CLI11 has exit codes of its own; nfold has one for wrong usage.
ExitCode report_usage(const CLI::App& app, const CLI::ParseError& error) {
  const bool wrong = error.get_exit_code() != 0;
  if (nfold::cli::speaks_before_mpi()) {
    if (wrong) {
      std::string command = "nfold";
      for (const auto* sub : app.get_subcommands()) command += " " + sub->get_name();
      nfold::cli::print_error(std::string(error.what()) + " (see '" + command + " --help')");
    } else {
      app.exit(error, std::cout, std::cerr);
    }
  }
  if (!wrong) return ExitCode::done;
  return nfold::cli::speaks_before_mpi() ? ExitCode::wrong_input
                                         : nfold::cli::fail_after_rank_0(ExitCode::wrong_input);
}

// CLI11 itself would only say that a subcommand is required.
void reject_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string known;
  for (const auto* sub : app.get_subcommands(nullptr)) {
    if (sub->get_name() == argv[1]) return;
    known += (known.empty() ? "" : ", ") + sub->get_name();
  }
  throw CLI::ExtrasError("unknown command '" + std::string(argv[1]) + "'; commands are " + known,
                         CLI::ExitCodes::ExtrasError);
}

std::string version_text() {
  const auto build = nfold::cli::this_build();
  return std::string("nfold ") + nfold::cli::version + " (" + nfold::plan::space_name(build.space) +
         ", sources " + build.sources + ")";
}

ExitCode run_program(int argc, char** argv) {
  nfold::cli::Launch launch{argc, argv};
  CLI::App app{"nfold folds proteins: one bead a residue, on CPUs and GPU clusters.", "nfold"};
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  add_commands(app, launch);
  try {
    reject_unknown_command(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  return launch.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return static_cast<int>(run_program(argc, argv));
  } catch (const std::exception& failure) {
    nfold::cli::print_error(failure.what());
    return static_cast<int>(nfold::cli::exit_code_of(failure));
  }
}
