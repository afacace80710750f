// Command nfold plan: reads machine and input, chooses a layout, prints.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/plan_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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

using WorkOnLayout = std::function<estimate::LayoutWork(const estimate::Layout&)>;

void list_machines() {
  core::TextTable table;
  const auto add = [&](const estimate::Machine& machine, const std::string& source) {
    table.add({machine.name, source, estimate::describe_limits(machine),
               machine.description + "; speeds " + machine.speed_source});
  };
  for (const auto& name : estimate::builtin_machine_names()) {
    add(estimate::builtin_machine(name), "built in");
  }
  for (const auto& file : setup::site_machine_files()) {
    add(setup::machine_for(file.stem().string()), file.string());
  }
  std::cout << table.text();
}

/// Throws InputError if costs of different currencies would be compared.
void require_one_currency(const std::vector<estimate::Machine>& machines,
                          const estimate::PlanGoal& goal) {
  if (!estimate::depends_on_cost(goal)) return;
  const estimate::Machine* first = nullptr;
  for (const auto& machine : machines) {
    if (!(machine.node_hour() > 0)) continue;
    if (first == nullptr) first = &machine;
    if (machine.currency == first->currency) continue;
    core::refuse("nfold plan",
                 fmt::format("{} costs {}, and {} costs {}", first->name, first->currency,
                             machine.name, machine.currency),
                 "give price.currency and prices of one currency in the entries, or compare by "
                 "--objective time without a budget");
  }
}

/// Adds the wait for a machine to the work on it, which its jobs do not pay for.
WorkOnLayout with_wait(const WorkOnLayout& work_on, const estimate::Machine& machine) {
  constexpr double minute = 60;
  const double wait = minute * machine.transfer.wait_minutes;
  return [=](const estimate::Layout& layout) {
    auto work = work_on(layout);
    const double job = work.time.seconds();
    work.time.transfer += wait;
    if (job > 0) {
      work.spread = std::hypot(work.spread * job, estimate::spread_of_wait * wait) / (job + wait);
    }
    return work;
  };
}

/// Returns the layouts compared on each machine, with the wait for it if there are several. Throws
/// InputError if no machine has one.
std::vector<estimate::MachineOffer> make_offers(const std::vector<estimate::Machine>& machines,
                                                const std::vector<Workload>& workloads,
                                                estimate::LayoutWish wish) {
  wish.mixes = workloads.front().kind == "batch";
  std::vector<estimate::MachineOffer> offers;
  std::string limits;
  bool is_any = false;
  for (std::size_t k = 0; k < machines.size(); ++k) {
    const auto& machine = machines[k];
    const auto& work_on = workloads[k].on;
    offers.push_back({machine, estimate::list_layouts(machine, wish),
                      machines.size() > 1 ? with_wait(work_on, machine) : work_on});
    is_any = is_any || !offers.back().layouts.empty();
    limits += fmt::format("{}{} has {}", k == 0 ? "" : "; ", machine.name,
                          estimate::describe_limits(machine));
  }
  if (!is_any) {
    core::refuse("nfold plan",
                 "no layout has these --nodes, --gpus-per-node, --cores-per-node and --ranks",
                 limits);
  }
  return offers;
}

/// Returns the files that the plan reads, which results must not replace.
std::vector<std::filesystem::path> read_files(const PlanOptions& options) {
  std::vector<std::filesystem::path> files{options.input};
  std::stringstream machines(options.machine);
  for (std::string name; std::getline(machines, name, ',');) files.emplace_back(name);
  return files;
}

/// Adds the options by which a batch distributes its targets as the plan does.
void add_batch_options(const PlanOptions& options, const estimate::Machine& machine,
                       std::vector<std::string>& arguments) {
  if (options.side_by_side != batch::BatchOptions().side_by_side) {
    arguments.insert(arguments.end(), {"--side-by-side", std::to_string(options.side_by_side)});
  }
  const bool is_builtin = !estimate::builtin_machine_text(machine.based_on).empty();
  if (is_builtin && machine.based_on != estimate::default_machine) {
    arguments.insert(arguments.end(), {"--machine", machine.based_on});
  }
}

}  // namespace

estimate::JobScript job_script(const PlanOptions& options, const estimate::Machine& machine,
                               const Workload& workload, const estimate::LayoutEstimate& best) {
  constexpr double hour = 3600, least_seconds = 600, giga = 1e9;
  constexpr const char* cpu_program = "nfold-cpu";
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
  if (best.layout.cores_beside_gpus > 0) {
    script.cpu_ranks_per_node = best.layout.cores_beside_gpus;
    script.nfold_cpu = cpu_program;
  } else if (!best.layout.on_gpu && machine.has_gpus()) {
    script.nfold = cpu_program;  // the other build computes on GPUs
  } else if (best.layout.on_gpu) {
    script.cores_per_rank = std::max(1, machine.cores_per_node / machine.gpus_per_node);
  }
  const double limit = hour * machine.most_hours;
  script.queue_limit_seconds = std::llround(limit);
  script.time_limit_seconds = std::llround(std::clamp(best.high_seconds - best.work.time.transfer,
                                                      std::min(least_seconds, limit), limit));
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
  if (workload.kind == "batch") add_batch_options(options, machine, script.options);
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
      options.overwrite ? job::Overwrite::yes : job::Overwrite::no, read_files(options));
  const auto goal = plan_goal(options);
  const auto machines = setup::machines_for(options.machine);
  require_one_currency(machines, goal);
  const auto workload_on = count_workload(options.input, options.overrides, options.side_by_side);
  std::vector<Workload> workloads;
  std::ranges::transform(machines, std::back_inserter(workloads), workload_on);
  const auto choice = estimate::choose(make_offers(machines, workloads, options.layouts), goal);
  const PlanReport answer{options.input, machines, workloads, goal, choice};
  std::cout << (options.json ? format_json(answer) : format_text(answer)) << std::flush;
  if (!options.write.empty() && choice.best) {
    const auto& best = choice.all[*choice.best];
    const auto script = job_script(options, machines[best.machine], workloads[best.machine], best);
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
