// Command line of nfold launch.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "batch/batch.hpp"
#include "cli/calvados/prepare_folder.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/usage.hpp"
#include "comm/communicator.hpp"
#include "core/duration.hpp"
#include "core/refusal.hpp"
#include "core/status/output_paths.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/run_options.hpp"
#include "supervise/allocation.hpp"
#include "supervise/launch.hpp"
#include "supervise/machine.hpp"

namespace nfold::cli {
namespace {

using Words = std::vector<std::string>;

/// Refuses options of launch behind the command, where they would count as options of the command.
void refuse_late_options(const CLI::App& launch, const Words& words) {
  const auto options = option_names(launch);
  for (const auto& word : words) {
    const auto name = word.substr(0, word.find('='));
    if (name == "--help" || name == "-h" || !std::ranges::count(options, name)) continue;
    core::refuse("nfold launch", name + " stands behind the command or input",
                 "options of launch come first: nfold launch " + name + " ... " + words[0]);
  }
}

double seconds_of(const std::string& time_limit) {
  return time_limit.empty() ? 0 : core::parse_duration_seconds(time_limit, "--time-limit");
}

/// Returns the options to repeat when the run restarts from the input kept in its folder, which
/// already contains --set.
Words restart_options(const CLI::App& command) {
  Words words;
  for (const auto* option : command.get_options()) {
    const auto name = option->get_name();
    const bool is_of_first =
        name == "--set" || name == "--output" || name == "--overwrite" || name == "--resume";
    if (!name.starts_with("-") || is_of_first) continue;
    if (option->get_items_expected_max() == 0) {
      words.insert(words.end(), option->count(), name);
      continue;
    }
    for (const auto& value : option->results()) words.push_back(fmt::format("{}={}", name, value));
  }
  return words;
}

/// Parses the arguments of the ranks with the ranks' own parser, so that an error is found before
/// they start. Returns nullopt if the arguments only ask for help.
std::optional<supervise::WatchedCommand> parse_rank_command(const CLI::App& launch, Words words) {
  if (words.empty()) {
    core::refuse("nfold launch", "needs a command or an input file",
                 "nfold launch -n 4 INPUT.yaml, or nfold launch batch LIST.yaml");
  }
  if (words[0].starts_with("-")) {
    core::refuse("nfold launch",
                 "unknown option '" + words[0] + "'" + suggest_option(launch, words),
                 "see 'nfold launch --help'");
  }
  refuse_late_options(launch, words);
  const bool is_phase = words[0] == "phase", is_batch = is_phase || words[0] == "batch";
  if (words[0] != "run" && !is_batch) words.insert(words.begin(), "run");

  CLI::App app{"", "nfold"};
  app.failure_message(CLI::FailureMessage::simple);
  job::RunOptions run;
  batch::BatchOptions batch;
  auto* const command = app.add_subcommand(words[0]);
  if (is_phase) {
    add_phase_options(command, &batch);
  } else if (is_batch) {
    add_batch_options(command, &batch);
  } else {
    add_run_options(command, &run);
  }
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      std::cout << command->help();
      return std::nullopt;
    }
    core::refuse("nfold launch " + words[0], error.what() + suggest_option(*command, words),
                 "see 'nfold " + words[0] + " --help'");
  }
  if (is_phase) name_phase_targets(batch);
  auto options = restart_options(*command);
  if (is_batch) {
    return supervise::WatchedCommand{std::move(words),
                                     batch.targets,
                                     batch::output_folder(batch),
                                     batch::status_name(batch),
                                     true,
                                     batch.resume,
                                     seconds_of(batch.time_limit),
                                     std::move(options)};
  }
  const auto input = calvados::to_input(run.input, std::cout);
  std::ranges::replace(words, run.input.string(), input.string());
  const auto paths = status::output_paths(input, run.output);
  return supervise::WatchedCommand{std::move(words),
                                   input,
                                   paths.folder,
                                   paths.name,
                                   false,
                                   run.resume,
                                   seconds_of(run.time_limit),
                                   std::move(options)};
}

void refuse_under_launcher() {
  if (!comm::is_launched()) return;
  core::refuse("nfold launch", "was itself started by mpirun or srun",
               "start it alone: it starts the ranks");
}

/// Refuses too many ranks. Without a scheduler all ranks run on this node, and mpirun would start
/// any number.
void refuse_too_many(const supervise::LaunchOptions& options) {
  constexpr int most_a_thread = 8, most_of_any_node = 64;
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  const int most = std::max(most_of_any_node, most_a_thread * threads);
  const bool is_of_this_node =
      options.launcher.empty() &&
      supervise::current_allocation().scheduler == supervise::Scheduler::none;
  if (!is_of_this_node || options.ranks <= most) return;
  core::refuse("-n",
               fmt::format("{} ranks on one node of {} hardware threads", options.ranks, threads),
               fmt::format("at most {} are started here; more need a job of Slurm, PBS or LSF, or "
                           "--launcher with a list of hosts",
                           most));
}

void add_limits(CLI::App& command, supervise::LaunchOptions& options) {
  command
      .add_option("--retries", options.limits.retries,
                  "Failures in a row without progress after which it gives up")
      ->transform(whole_from(0, 1000))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(
          "--pause", options.limits.pause_seconds,
          "Seconds before the first retry; each further one without progress waits twice as "
          "long, 300 s at most")
      ->type_name("SECONDS")
      ->transform(real_from(0, 86'400))
      ->capture_default_str();
  command
      .add_option("--heartbeat-limit", options.heartbeat_limit_seconds,
                  "Seconds in which the status file must change, else the job is ended and started "
                  "again; keep it above partition.wait_limit_seconds; 0: no limit")
      ->type_name("SECONDS")
      ->transform(real_from(0, 1e7))
      ->capture_default_str();
}

}  // namespace

void add_launch(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<supervise::LaunchOptions>();
  auto* command = app.add_subcommand(
      "launch", "Starts run or batch on all GPUs, watches it, goes on when one fails");
  command->footer(
      "nfold launch [OPTIONS] INPUT.yaml [OPTIONS OF run]\n"
      "nfold launch [OPTIONS] run|batch|phase WHAT [OPTIONS OF run, batch OR phase]");
  command->prefix_command();
  command
      ->add_option("-n,--ranks", options->ranks,
                   "Ranks, one for each GPU [all fit GPUs of this node; inside a Slurm, PBS or LSF "
                   "job its tasks; a build for CPUs: 1 rank]")
      ->transform(whole_from(1, 1'000'000))
      ->type_name("N");
  add_limits(*command, *options);
  command
      ->add_option(
          "--launcher", options->launcher,
          "What starts the ranks, with options of the site: 'mpirun --mca btl ^openib' [srun "
          "inside Slurm where it supports PMIx, else mpirun]")
      ->type_name("TEXT");
  command
      ->add_option(
          "--devices-command", options->devices_command,
          "A test of devices in place of 'nfold devices --json', that writes the same JSON")
      ->type_name("TEXT");
  command
      ->add_option(
          "--sick-nodes", options->sick_nodes,
          "File for the job script: nodes that Slurm is to leave out when it queues the job "
          "again, a line each; code 75 then asks for that")
      ->type_name("FILE");
  command->callback([command, options, &invocation] {
    refuse_under_launcher();
    refuse_too_many(*options);
    const auto what = parse_rank_command(*command, command->remaining());
    if (!what) return;
    options->uses_gpus = job::this_build().space == estimate::Backend::gpu;
    invocation.exit_code = supervise::launch(*what, *options);
  });
}

}  // namespace nfold::cli
