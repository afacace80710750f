// Command line of nfold run.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/calvados/like_calvados.hpp"
#include "cli/calvados/prepare_folder.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "core/refusal.hpp"
#include "core/status/output_paths.hpp"
#include "core/telemetry/step_clock.hpp"
#include "session/job/failure.hpp"
#include "session/run/run.hpp"

namespace nfold::cli {

void add_run_options(CLI::App* command, job::RunOptions* options) {
  command->add_option("INPUT", options->input, "Input file (YAML), or a CALVADOS folder")
      ->required();
  add_set_option(*command, options->overrides);
  add_output_option(*command, options->output, "DIR", "Folder for everything written [NAME.out]");
  command->add_flag("--overwrite", options->overwrite, "Replace what an earlier run left there");
  command
      ->add_option("--resume", options->resume,
                   "auto: from the checkpoint there, if any; never; or a checkpoint file")
      ->type_name("auto|never|FILE")
      ->capture_default_str();
  command
      ->add_option("--time-limit", options->time_limit,
                   "Stop in time with a checkpoint and exit code 75: 90s, 30m, 2h, HH:MM:SS")
      ->type_name("TIME");
  command->add_flag("--quiet", options->quiet, "No progress display");
  command->add_flag("-v,--verbose", options->verbose, "More of what is in the log");
  command->add_flag("--profile", options->profile,
                    "Clock the phases of each rank; the timeline is NAME.trace.json");
  command->add_option("--log-file", options->log_file, "Log file [NAME.log in the output folder]")
      ->type_name("FILE");
  add_threads_option(*command, options->threads);
  add_gpus_option(*command, options->gpus);
  add_device_memory_option(*command, options->device_memory);
  add_attempt_option(*command);
}

namespace {

/// Runs an input, or a CALVADOS folder; with is_like_calvados, then writes the package's files.
core::ExitCode run_input(job::Invocation& invocation, job::RunOptions options,
                         bool is_like_calvados) {
  if (!calvados::is_calvados_folder(options.input)) {
    if (is_like_calvados) {
      core::refuse("--like calvados", options.input.string() + " is no CALVADOS folder",
                   "leave it out");
    }
    return run::run(invocation, options);
  }
  const auto folder = calvados::input_of_folder(options.input, std::cout);
  options.input = folder.input;
  const auto hours = folder.translation.folder.config.runtime_hours;
  constexpr double seconds_per_hour = 3600;
  if (hours > 0 && options.time_limit.empty()) {
    options.time_limit = fmt::format("{:.0f}s", hours * seconds_per_hour);
  }
  if (!is_like_calvados) return run::run(invocation, options);
  const auto paths = status::output_paths(options.input, options.output);
  // NAME.log is the package's table.
  if (options.log_file.empty()) options.log_file = paths.with(".nfold.log").string();
  const auto seconds = telemetry::steady_seconds();
  const double begun = seconds();
  const auto exit_code = run::run(invocation, options);
  const bool has_run =
      exit_code == core::ExitCode::done || exit_code == core::ExitCode::stopped_early;
  if (has_run && job::is_root_before_mpi()) {
    calvados::write_like_calvados(folder.translation, paths, seconds() - begun);
  }
  return exit_code;
}

}  // namespace

void add_run(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<job::RunOptions>();
  auto* command = app.add_subcommand(
      "run", "Simulate INPUT.yaml: one system on all ranks; goes on where it was stopped");
  add_run_options(command, options.get());
  auto like = std::make_shared<std::string>();
  command
      ->add_option(
          "--like", *like,
          "Of a CALVADOS folder: also write NAME.dcd, NAME.log, top.pdb and checkpoint.pdb "
          "as that package does; nfold's own log is NAME.nfold.log")
      ->check(CLI::IsMember({"calvados"}));
  command->callback([options, like, &invocation] {
    invocation.exit_code = run_input(invocation, *options, !like->empty());
  });
}

}  // namespace nfold::cli
