// Command lines of nfold batch and nfold phase.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "batch/batch.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "session/job/result_files.hpp"

namespace nfold::cli {

namespace {

/// Adds the options of a job of many targets.
void add_job_options(CLI::App* command, batch::BatchOptions* options) {
  add_set_option(*command, options->overrides);
  add_output_option(*command, options->output, "DIR", "Folder for everything written [NAME.out]");
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

}  // namespace

void add_batch_options(CLI::App* command, batch::BatchOptions* options) {
  command
      ->add_option(
          "TARGETS", options->targets,
          "A list of targets (YAML); sequences as FASTA or as CSV with the columns name and "
          "sequence; or a folder of structures, input files or sequences")
      ->required();
  command
      ->add_option("--budget", options->budget_gpu_seconds,
                   "Seconds of one H200 for each target that folds, in place of the list's; how "
                   "long a target runs depends on this number and on no clock")
      ->type_name("SECONDS")
      ->transform(real_above(0, 1e9));
  add_job_options(command, options);
}

void add_phase_options(CLI::App* command, batch::BatchOptions* options) {
  constexpr std::int64_t most_copies = 1'000'000;
  auto& phase = options->phase.emplace();
  command
      ->add_option("SEQUENCES", phase.sequences,
                   "FASTA files, or CSV files with the columns name and sequence and others for "
                   "keys of the input")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--model", phase.model, "Force field; 'nfold help models' lists them")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--temperature", phase.temperatures,
                   "Temperatures [K]: FROM:TO:STEP, or separated by commas [that of the model or "
                   "the table]")
      ->type_name("T");
  command->add_option("--copies", phase.copies, "Chains of each slab [by the length of the chain]")
      ->transform(whole_from(1, most_copies))
      ->type_name("N");
  command
      ->add_option("--client", phase.client,
                   "A second sequence in each slab, whose partition is measured")
      ->type_name("FASTA[:RECORD]");
  command
      ->add_option("--client-copies", phase.client_copies,
                   "Chains of the client [a tenth of the others, at least 8]")
      ->transform(whole_from(1, most_copies))
      ->type_name("N");
  add_job_options(command, options);
}

void add_batch(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<batch::BatchOptions>();
  auto* command = app.add_subcommand(
      "batch", "Many targets, isolated from each other; goes on with what is missing");
  add_batch_options(command, options.get());
  command->callback(
      [options, &invocation] { invocation.exit_code = batch::run_batch(invocation, *options); });
}

void name_phase_targets(batch::BatchOptions& options) {
  options.targets = options.phase->sequences.front();
  if (options.output.empty()) options.output = options.targets.stem().string() + ".phase";
}

void add_phase(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<batch::BatchOptions>();
  auto list = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "phase", "Concentrations of both phases of sequences, binodal and critical point");
  add_phase_options(command, options.get());
  command
      ->add_option("--list", *list,
                   "Write the list of slabs to this file and stop; nfold check, plan and batch "
                   "take it")
      ->type_name("FILE.yaml");
  command->callback([options, list, &invocation] {
    name_phase_targets(*options);
    if (list->empty()) {
      invocation.exit_code = batch::run_batch(invocation, *options);
      return;
    }
    job::require_writable(std::array{job::ResultFile{"--list", *list}},
                          options->overwrite ? job::Overwrite::yes : job::Overwrite::no,
                          options->phase->sequences);
    job::write_result(*list, batch::make_phase_list(*options->phase, options->overrides).text);
    std::cout << "wrote " << *list << "; next: nfold check " << *list << ", nfold batch " << *list
              << "\n";
  });
}

}  // namespace nfold::cli
