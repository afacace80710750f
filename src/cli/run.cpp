// nfold run INPUT.yaml: one simulation on all ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/meeting.hpp"
#include "cli/ranks_of_job.hpp"
#include "cli/run_options.hpp"
#include "cli/signals.hpp"
#include "cli/simulation.hpp"
#include "cli/status_file.hpp"
#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "io/atomic_file.hpp"

namespace nfold::cli {
namespace {

ExitCode run(Launch& launch, const RunOptions& options) {
  catch_stop_signals();
  io::turn_file_size_signal_into_error();
  const comm::Environment environment(launch.argc, launch.argv);
  const auto world = comm::Communicator::world();
  std::optional<dynamics::ComputeEnvironment> compute;
  RunRecord record;
  record.paths = output_paths(options.input, options.output);
  const comm::WaitLastWords when_ranks_stand_still(
      [&](const std::string& reason, std::int64_t step) {
        if (!record.owns_folder) return;
        write_status(record.paths.status(), {RunState::failed, std::max(step, record.step),
                                             record.steps, reason, ExitCode::failed});
      });
  return run_together(
      world,
      [&] {
        require_one_space(world, "nfold run");
        return simulate(world, options, compute, record);
      },
      [&](const std::string& reason, ExitCode exit_code) {
        write_last_words(record, reason, exit_code);
      });
}

}  // namespace

void add_run(CLI::App& app, Launch& launch) {
  auto options = std::make_shared<RunOptions>();
  auto* command = app.add_subcommand(
      "run", "Simulate INPUT.yaml: one system on all ranks; goes on where it was stopped");
  command->add_option("INPUT", options->input, "Input file (YAML)")->required();
  add_set_option(*command, options->overrides);
  command->add_option("--output", options->output, "Folder for everything written [NAME.out]")
      ->type_name("DIR");
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
  command->add_option("--log-file", options->log_file, "Log file [NAME.log in the output folder]")
      ->type_name("FILE");
  add_threads_option(*command, options->threads);
  add_device_memory_option(*command, options->device_memory);
  command->callback([options, &launch] { launch.exit_code = run(launch, *options); });
}

}  // namespace nfold::cli
