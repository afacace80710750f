// Command line of nfold plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/plan_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "cli/calvados/prepare_folder.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/job/failure.hpp"

namespace nfold::cli {

namespace {

void add_layout_options(CLI::App& command, estimate::LayoutWish& layouts) {
  const auto add = [&](const char* name, std::optional<int>& number, const char* help) {
    command.add_option(name, number, help)->transform(whole_from(1, 1'000'000))->type_name("N");
  };
  add("--nodes", layouts.nodes, "Only layouts of N nodes");
  add("--gpus-per-node", layouts.gpus_per_node, "Only layouts of N GPUs a node");
  add("--cores-per-node", layouts.cores_per_node,
      "Only layouts of N cores a node; beside --gpus-per-node, cores that share a list with GPUs");
  add("--ranks", layouts.ranks, "Only layouts of N GPUs or N cores in all");
  command.add_flag(
      "--every-layout", layouts.lists_every_number,
      "Compare every number of GPUs, cores and nodes, busy cores too, not only selected ones");
}

}  // namespace

void add_plan(CLI::App& app, job::Invocation& invocation) {
  auto options = std::make_shared<plan::PlanOptions>();
  auto* command = app.add_subcommand(
      "plan", "Which GPUs, how long, how much memory, at what cost: estimated before the job");
  command->add_option("INPUT", options->input,
                      "Input file, list of targets, folder of structures and input files, or a "
                      "CALVADOS folder");
  command
      ->add_option("--machine", options->machine,
                   "Machines, separated by commas: here, a built-in one, an entry of "
                   "~/.config/nfold/machines, a file or a folder of entries [$NFOLD_MACHINE, else "
                   "here]")
      ->type_name("NAME|FILE,...");
  command->add_flag("--machines", options->list_machines,
                    "List the built-in machines and those of ~/.config/nfold/machines");
  add_layout_options(*command, options->layouts);
  auto* hybrid =
      command->add_flag("--hybrid", options->hybrid,
                        "This computer, the machine, or the cheap stages here and the steps there");
  auto* resume =
      command
          ->add_option("--resume", options->resume,
                       "Output folder of a started run, in place of INPUT: stay here or move?")
          ->type_name("FOLDER")
          ->excludes(hybrid);
  std::map<std::string, estimate::Objective> objectives;
  for (const auto& name : estimate::objective_names()) {
    objectives.emplace(name, static_cast<estimate::Objective>(objectives.size()));
  }
  command
      ->add_option("--objective", options->objective,
                   "What counts: efficiency (the fastest that uses its GPUs to 70 %; with a "
                   "deadline the cheapest, with a budget the fastest), time, cost [efficiency]")
      ->transform(CLI::CheckedTransformer(objectives).description(""))
      ->type_name("efficiency|time|cost");
  command->add_option("--deadline", options->deadline, "It is to be done within: 90s, 30m, 2h, 3d")
      ->type_name("T");
  command
      ->add_option("--budget", options->budget, "It is to cost no more, in the machines' currency")
      ->transform(real_from(0, 1e12))
      ->type_name("C");
  command->add_flag("--json", options->json, "As JSON, for programs");
  command->add_option("--csv", options->csv, "Write a row for each layout")
      ->type_name("FILE")
      ->excludes(hybrid)
      ->excludes(resume);
  auto* write =
      command
          ->add_option("--write", options->write,
                       "Write the job script of the plan; with --hybrid or --resume a folder of "
                       "two scripts, for here and there")
          ->type_name("FILE|FOLDER");
  std::map<std::string, estimate::Scheduler> schedulers;
  for (const auto scheduler : estimate::all_schedulers) {
    schedulers.emplace(estimate::scheduler_name(scheduler), scheduler);
  }
  add_overwrite_option(*command, options->overwrite);
  command->add_option("--scheduler", options->scheduler, "Whose script it is [slurm]")
      ->transform(CLI::CheckedTransformer(schedulers).description(""))
      ->type_name("slurm|pbs|lsf")
      ->needs(write);
  command->add_option("--queue", options->queue, "Queue or partition of the job")
      ->type_name("NAME")
      ->needs(write);
  command->add_option("--account", options->account, "Account that pays for the job")
      ->type_name("NAME")
      ->needs(write);
  command
      ->add_option("--side-by-side", options->side_by_side,
                   "The most targets of a list that a rank works on at once, as nfold batch has it")
      ->transform(whole_from(1, 64))
      ->capture_default_str();
  add_set_option(*command, options->overrides);
  command->callback([options, &invocation] {
    if (!job::is_root_before_mpi()) return;  // only one of several ranks prints the answer
    options->input = calvados::to_input(options->input, std::cerr);
    invocation.exit_code = plan::make_plan(*options);
  });
}

}  // namespace nfold::cli
