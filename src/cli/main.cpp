// Program nfold: parses the command line, calls one command, returns its exit code.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/usage.hpp"
#include "core/signals.hpp"
#include "core/version.hpp"
#include "estimate/dispatch.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/failure.hpp"

namespace {

using nfold::core::ExitCode;

void add_commands(CLI::App& app, nfold::job::Invocation& invocation) {
  // Order of nfold --help: commands for new users come first.
  nfold::cli::add_prepare(app, invocation);
  nfold::cli::add_check(app, invocation);
  nfold::cli::add_run(app, invocation);
  nfold::cli::add_plan(app, invocation);
  nfold::cli::add_help(app, invocation);
  nfold::cli::add_launch(app, invocation);
  nfold::cli::add_batch(app, invocation);
  nfold::cli::add_phase(app, invocation);
  nfold::cli::add_energy(app, invocation);
  nfold::cli::add_export(app, invocation);
  nfold::cli::add_compare(app, invocation);
  nfold::cli::add_devices(app, invocation);
  nfold::cli::add_bench(app, invocation);
}

/// Returns the exit code of wrong usage, on other ranks than the first after a delay.
ExitCode wrong_usage() {
  return nfold::job::is_root_before_mpi() ? ExitCode::wrong_input
                                          : nfold::job::delay_failure(ExitCode::wrong_input);
}

// Maps the exit codes of CLI11 to the one that nfold has for wrong usage.
ExitCode report_usage(const CLI::App& app, const CLI::ParseError& error,
                      const std::vector<std::string>& words) {
  const bool wrong = error.get_exit_code() != 0;
  if (nfold::job::is_root_before_mpi()) {
    if (wrong) {
      std::string command = "nfold";
      std::string meant;
      for (const auto* sub : app.get_subcommands()) {
        command += " " + sub->get_name();
        if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
          meant = nfold::cli::suggest_option(*sub, words);
        }
      }
      nfold::core::print_error(error.what() + meant + " (see '" + command + " --help')");
    } else {
      app.exit(error, std::cout, std::cerr);
    }
  }
  return wrong ? wrong_usage() : ExitCode::done;
}

// Names the unknown command. CLI11 would only report that a subcommand is required.
void reject_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return;
  if (argv[1][0] == '-') {
    const auto known = nfold::cli::option_names(app);
    if (std::find(known.begin(), known.end(), argv[1]) != known.end()) return;
    throw CLI::ExtrasError("unknown option '" + std::string(argv[1]) + "'" +
                               nfold::cli::suggest_option(app, {argv[1]}) +
                               "; a command comes first",
                           CLI::ExitCodes::ExtrasError);
  }
  std::string known;
  for (const auto* sub : app.get_subcommands(nullptr)) {
    if (sub->get_name() == argv[1]) return;
    known += (known.empty() ? "" : ", ") + sub->get_name();
  }
  throw CLI::ExtrasError("unknown command '" + std::string(argv[1]) + "'" +
                             nfold::cli::suggest_command(app, argv[1]) + "; commands are " + known,
                         CLI::ExitCodes::ExtrasError);
}

std::string version_text() {
  const auto build = nfold::job::this_build();
  return std::string("nfold ") + nfold::core::version + " (" +
         nfold::estimate::backend_name(build.space) + ", sources " + build.sources + ")";
}

/// Handles nfold without arguments: no error, but nothing was done.
ExitCode print_usage_hint(const CLI::App& app) {
  if (!nfold::job::is_root_before_mpi()) return wrong_usage();
  std::cout << app.get_description() << "\nnfold --help lists all commands, nfold COMMAND --help "
            << "their options, nfold help the keys of an\ninput file.\n"
            << std::flush;
  return ExitCode::wrong_input;
}

ExitCode run_program(int argc, char** argv) {
  nfold::job::Invocation invocation{argc, argv};
  CLI::App app{"nfold folds proteins: one bead a residue, on CPUs and GPU clusters.\n\n" +
                   nfold::cli::first_steps(),
               "nfold"};
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  add_commands(app, invocation);
  if (argc < 2) return print_usage_hint(app);
  const auto words = nfold::cli::repeat_list_options({argv + 1, argv + argc});
  try {
    reject_unknown_command(app, argc, argv);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, words);
  }
  return invocation.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  nfold::core::ignore_broken_pipes();
  try {
    return static_cast<int>(run_program(argc, argv));
  } catch (const std::exception& failure) {
    const auto end = nfold::job::to_failure(failure);
    nfold::core::print_error(end.what(), end.outcome());
    return static_cast<int>(end.exit_code());
  }
}
