// Command line of nfold run.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "session/run/run.hpp"

namespace nfold::cli {

void add_run_options(CLI::App* command, job::RunOptions* options) {
  command->add_option("INPUT", options->input, "Input file (YAML)")->required();
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

void add_run(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<job::RunOptions>();
  auto* command = app.add_subcommand(
      "run", "Simulate INPUT.yaml: one system on all ranks; goes on where it was stopped");
  add_run_options(command, options.get());
  command->callback(
      [options, &invocation] { invocation.exit_code = run::run(invocation, *options); });
}

}  // namespace nfold::cli
