// Command nfold plan: reads machine and input, chooses a layout, prints.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/plan_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>

#include "cli/plan/hybrid.hpp"
#include "cli/plan/migration.hpp"
#include "cli/plan/plan_report.hpp"
#include "cli/plan/site_plan.hpp"
#include "cli/plan/workload.hpp"
#include "core/refusal.hpp"
#include "core/text_table.hpp"
#include "session/job/result_files.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::plan {
namespace {

void list_machines() {
  core::TextTable table;
  for (const auto& name : estimate::builtin_machine_names()) {
    const auto machine = estimate::builtin_machine(name);
    table.add({name, machine.description + "; speeds " + machine.speed_source});
  }
  std::cout << table.text();
}

}  // namespace

estimate::JobScript job_script(const PlanOptions& options, const estimate::Machine& machine,
                               const Workload& workload, const estimate::LayoutEstimate& best) {
  constexpr double hour = 3600, least_seconds = 600, giga = 1e9;
  estimate::JobScript script;
  script.scheduler = options.scheduler;
  script.name = "nfold-" + std::filesystem::path(options.input).stem().string();
  // Schedulers allow few characters in a job's name; the command has the original file name.
  std::replace_if(
      script.name.begin(), script.name.end(),
      [](unsigned char c) {
        return c > 127 || (std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.');
      },
      '_');
  script.nodes = best.layout.nodes;
  script.ranks_per_node = best.layout.ranks_per_node;
  script.uses_gpus = best.layout.on_gpu;
  if (best.layout.on_gpu) {
    script.cores_per_rank = std::max(1, machine.cores_per_node / machine.gpus_per_node);
  }
  const double limit = hour * machine.most_hours;
  script.queue_limit_seconds = std::llround(limit);
  script.time_limit_seconds =
      std::llround(std::min(limit, std::max(least_seconds, best.high_seconds)));
  // Twice the estimate, because cached files count too.
  const double needs = 2 * static_cast<double>(best.work.host_bytes) + giga;
  if (best.work.host_bytes > 0) {
    script.memory_per_node_bytes = std::llround(std::min(needs, giga * machine.host_memory_gb));
  }
  script.queue = options.queue;
  script.account = options.account;
  script.command =
      workload.kind == "batch" ? estimate::JobCommand::batch : estimate::JobCommand::run;
  script.input = options.input;
  for (const auto& value : options.overrides) {
    script.options.emplace_back("--set");
    script.options.push_back(value);
  }
  if (workload.kind == "batch" && options.side_by_side != batch::BatchOptions().side_by_side) {
    script.options.emplace_back("--side-by-side");
    script.options.push_back(std::to_string(options.side_by_side));
  }
  return script;
}

core::ExitCode make_plan(const PlanOptions& options) {
  if (options.list_machines) {
    list_machines();
    return core::ExitCode::done;
  }
  if (!options.resume.empty()) return plan_migration(options);
  if (options.input.empty()) {
    core::refuse("nfold plan", "no input", "name an input file, a list of targets or a folder");
  }
  if (options.hybrid) return plan_hybrid(options);
  job::require_writable(
      std::array{job::ResultFile{"--write", options.write}, job::ResultFile{"--csv", options.csv}},
      options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
      std::array<std::filesystem::path, 2>{options.input, options.machine});
  const auto goal = plan_goal(options);
  const auto machine = setup::machine_for(options.machine);
  const auto workload =
      count_workload(options.input, options.overrides, machine, options.side_by_side);
  const auto choice = estimate::choose(machine, estimate::list_layouts(machine), workload.on, goal);
  const PlanReport answer{options.input, machine, workload, goal, choice};
  std::cout << (options.json ? format_json(answer) : format_text(answer)) << std::flush;
  if (!options.write.empty() && choice.best) {
    const auto script = job_script(options, machine, workload, choice.all[*choice.best]);
    job::write_result(options.write, estimate::format_text(script));
    if (!options.json) {
      std::cout << fmt::format("job script: {}; submit it by {}\n", options.write,
                               estimate::submit_command(options.scheduler, options.write));
    }
  }
  if (!options.csv.empty()) job::write_result(options.csv, format_csv(answer));
  return choice.best ? core::ExitCode::done : core::ExitCode::wrong_input;
}

}  // namespace nfold::plan
