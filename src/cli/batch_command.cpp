// Command line of nfold batch.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <memory>

#include "batch/batch.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"

namespace nfold::cli {

void add_batch_options(CLI::App* command, batch::BatchOptions* options) {
  command
      ->add_option(
          "TARGETS", options->targets,
          "A list of targets (YAML); sequences as FASTA or as CSV with the columns name and "
          "sequence; or a folder of structures, input files or sequences")
      ->required();
  add_set_option(*command, options->overrides);
  add_output_option(*command, options->output, "DIR", "Folder for everything written [NAME.out]");
  command
      ->add_option("--budget", options->budget_gpu_seconds,
                   "Seconds of one H200 for each target that folds, in place of the list's; how "
                   "long a target runs depends on this number and on no clock")
      ->type_name("SECONDS")
      ->transform(real_above(0, 1e9));
  command
      ->add_option("--resume", options->resume,
                   "auto: does what an earlier start left; never: refuses a folder that holds one")
      ->type_name("auto|never")
      ->check(CLI::IsMember({"auto", "never"}))
      ->expected(0, 1)
      ->capture_default_str();
  auto* overwrite = command->add_flag("--overwrite", options->overwrite,
                                      "Replace what an earlier batch left there");
  command
      ->add_option("--machine", options->machine,
                   "Speeds of GPU and CPU by which targets are given to one or the other, in a job "
                   "with both: a machine that is built in, or a file [that of the list, else h200]")
      ->type_name("NAME|FILE");
  command->add_flag("--retry-failed", options->retry_failed, "Tries anew what failed before");
  command
      ->add_option("--time-limit", options->time_limit,
                   "Stop in time with checkpoints and exit code 75: 90s, 30m, 2h, HH:MM:SS")
      ->type_name("TIME");
  command
      ->add_option(
          "--part", options->part,
          "Of N jobs that share the list this is the K-th; each does its targets, of about "
          "the same predicted time. Without it afterwards, nfold batch writes all tables")
      ->type_name("K/N")
      ->excludes(overwrite);
  command
      ->add_option(
          "--side-by-side", options->side_by_side,
          "The most targets that a rank works on at once, where their replicas are too few "
          "to fill its GPU or its threads")
      ->transform(whole_from(1, 64))
      ->capture_default_str();
  command->add_flag("--profile", options->profile,
                    "Clocks what the time of each rank and target goes into: a table in the log, "
                    "and a timeline (batch.trace.json)");
  command->add_flag("--quiet", options->quiet, "No display");
  command->add_flag("-v,--verbose", options->verbose, "More of what is in the log");
  command->add_option("--log-file", options->log_file, "Log file [batch.log in the output folder]")
      ->type_name("FILE");
  add_threads_option(*command, options->threads);
  add_gpus_option(*command, options->gpus);
  add_device_memory_option(*command, options->device_memory);
  add_attempt_option(*command);
}

void add_batch(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<batch::BatchOptions>();
  auto* command = app.add_subcommand(
      "batch", "Many targets, isolated from each other; goes on with what is missing");
  add_batch_options(command, options.get());
  command->callback(
      [options, &invocation] { invocation.exit_code = batch::run_batch(invocation, *options); });
}

}  // namespace nfold::cli
