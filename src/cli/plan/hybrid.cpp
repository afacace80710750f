// Stages here and there, their sum, and their scripts.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/hybrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/plan/site_files.hpp"
#include "cli/plan/target_list.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;
using estimate::JobOption;
using estimate::Site;

constexpr double report_seconds = 10;  // tools/report.py of a run of some thousand frames
constexpr double least_saving = 0.01;  // fraction of time or cost
constexpr const char *first_state_stage = "first state", *report_stage = "report";

/// Time [s] of the start with its minimisation.
double first_state_seconds(const MachinePlan& plan) {
  return plan.best->work.time.start + plan.best->work.time.minimising;
}

JobOption option_here(const MachinePlan& here) {
  JobOption option{"here alone", {}, here.refused};
  if (!here.best) return option;
  const double start = first_state_seconds(here);
  option.stages = {compute_stage(first_state_stage, Site::here, start, here),
                   compute_stage(steps_stage, Site::here, here.best->seconds - start, here),
                   compute_stage(report_stage, Site::here, report_seconds, here)};
  return option;
}

JobOption option_there(const MachinePlan& there, const estimate::TransferBytes& bytes) {
  JobOption option{there.machine.name + " alone", {}, there.refused};
  if (!there.best) return option;
  const auto& link = there.machine.transfer;
  const double start = first_state_seconds(there);
  option.stages = {transfer_stage("send", link, bytes.there, false),
                   wait_stage(link),
                   compute_stage(first_state_stage, Site::there, start, there),
                   compute_stage(steps_stage, Site::there, there.best->seconds - start, there),
                   compute_stage(report_stage, Site::there, report_seconds, there),
                   transfer_stage("fetch", link, bytes.back, true)};
  return option;
}

/// Hybrid with its bytes.
struct HybridOption {
  JobOption option;
  estimate::TransferBytes bytes;
};

HybridOption option_hybrid(const MachinePlan& here, const MachinePlan& there,
                           const DivisionCounts& counts, bool first_state_here) {
  HybridOption made{{"hybrid", {}, there.refused},
                    {counts.input_bytes, output_bytes(counts.outputs)}};
  if (!there.best) return made;
  auto& stages = made.option.stages;
  const auto& link = there.machine.transfer;
  const double start = first_state_seconds(there);
  if (first_state_here) {
    made.bytes.there += first_state_bytes(counts.outputs);
    stages.push_back(compute_stage(first_state_stage, Site::here, first_state_seconds(here), here));
  }
  stages.push_back(transfer_stage("send", link, made.bytes.there, false));
  stages.push_back(wait_stage(link));
  stages.push_back(first_state_here
                       ? compute_stage("load", Site::there, there.best->work.time.start, there)
                       : compute_stage(first_state_stage, Site::there, start, there));
  stages.push_back(compute_stage(steps_stage, Site::there, there.best->seconds - start, there));
  stages.push_back(transfer_stage("fetch", link, made.bytes.back, true));
  // The report needs one core, whatever steps would take here.
  constexpr double hour = 3600;
  stages.push_back({report_stage, Site::here, report_seconds, 0,
                    here.machine.core_hour / hour * report_seconds});
  return made;
}

/// Returns why the hybrid is no better than the other machine alone; empty if it is.
std::string find_no_saving(const JobOption& alone, const JobOption& shared) {
  if (shared.cost() < (1 - least_saving) * alone.cost() ||
      shared.seconds() < (1 - least_saving) * alone.seconds()) {
    return {};
  }
  return fmt::format("saves less than {:.0f} % of time and cost of {}", 100 * least_saving,
                     alone.name);
}

std::int64_t size_of_files(const std::vector<fs::path>& files) {
  std::int64_t bytes = 0;
  for (const auto& file : files) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

struct HybridPlan {
  std::string input;
  MachinePlan here, there;
  std::int64_t trajectory_bytes = 0;
  Division division{};
};

std::string describe_bytes(const Division& division) {
  return fmt::format("files: {} go there ({}), {} come back (trajectory, tables, checkpoints)",
                     telemetry::format_bytes(division.bytes.there),
                     division.makes_first_state_here ? "input, first state" : "input",
                     telemetry::format_bytes(division.bytes.back));
}

std::string text_answer(const HybridPlan& plan) {
  const auto& division = plan.division;
  std::string text = plan.input + "\n";
  for (const auto& line : plan.there.workload.lines) text += "  " + line + "\n";
  text += describe(plan.here) + "\n" + describe(plan.there) + "\n";
  text += format_table(division.options, division.choice, plan.there.machine.currency);
  text += "  " + describe_bytes(division) + "\n";
  if (2 * plan.trajectory_bytes > division.bytes.back) {
    text +=
        fmt::format("  {} of it is the trajectory; output.trajectory_every_steps sets its frames\n",
                    telemetry::format_bytes(plan.trajectory_bytes));
  }
  return text + format_choice(division.options, division.choice, plan.there.machine.currency);
}

std::string json_answer(const HybridPlan& plan) {
  const auto& division = plan.division;
  nlohmann::json document{{"format", 1},
                          {"input", plan.input},
                          {"kind", plan.there.workload.kind},
                          {"here", format_json(plan.here)},
                          {"there", format_json(plan.there)},
                          {"options", nlohmann::json::array()},
                          {"reason", division.choice.reason},
                          {"bytes_there", division.bytes.there},
                          {"bytes_back", division.bytes.back},
                          {"first_state_here", division.makes_first_state_here}};
  for (const auto& option : division.options) document["options"].push_back(format_json(option));
  document["best"] = division.choice.is_feasible
                         ? nlohmann::json(division.options[division.choice.best].name)
                         : nlohmann::json();
  return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Writes the scripts and the input that they work on.
void write_scripts(const PlanOptions& options, const input::Settings& settings,
                   const HybridPlan& plan) {
  const auto& best = plan.division.choice.best;
  auto bundle = copy_input(options, settings);
  estimate::SiteScript script;
  script.name = bundle.name;
  script.steps = settings.dynamics.steps;
  script.output = bundle.job + ".out";
  if (best == here_alone) {
    script.ranks_here = plan.here.best->layout.ranks();
    write_site_scripts(options, script, {});
    return;
  }
  script.makes_first_state = best == hybrid && plan.division.makes_first_state_here;
  script.there = {plan.there.machine.name, plan.there.machine.transfer, bundle.files,
                  options.scheduler, bundle.job};
  script.there->files.emplace_back(estimate::there_script_name);
  auto job = job_script(options, plan.there.machine, plan.there.workload, *plan.there.best);
  job.input = bundle.files.front();
  job.output = script.output;
  job.options.clear();
  write_site_scripts(options, script, job);
}

}  // namespace

Division divide(const MachinePlan& here, const MachinePlan& there, const DivisionCounts& counts,
                const estimate::PlanGoal& goal) {
  auto shared = option_hybrid(here, there, counts, false);
  Division division;
  if (counts.has_separate_start && here.best && there.best &&
      there.best->work.time.minimising > 0) {
    auto started_here = option_hybrid(here, there, counts, true);
    const std::array variants{shared.option, started_here.option};
    division.makes_first_state_here = choose_site(variants, {goal.objective, {}, {}}).best == 1;
    if (division.makes_first_state_here) shared = std::move(started_here);
  }
  division.bytes = shared.bytes;
  const auto alone = option_there(there, {counts.input_bytes, output_bytes(counts.outputs)});
  if (shared.option.is_feasible()) shared.option.refused = find_no_saving(alone, shared.option);
  division.options = {option_here(here), alone, std::move(shared.option)};
  division.choice = choose_site(division.options, goal);
  return division;
}

core::ExitCode plan_hybrid(const PlanOptions& options) {
  if (read_target_list(options.input)) {
    core::refuse("nfold plan --hybrid", options.input + " is a list of targets",
                 "give the input of a run or an ensemble; of a list write the job script by "
                 "--write without --hybrid, which runs wherever it is submitted");
  }
  if (!options.write.empty()) require_writable_scripts(options);
  const auto goal = plan_goal(options);
  const auto settings =
      input::parse_input(input::read_input_text(options.input), options.input, options.overrides);
  const auto workload_on = count_workload(options.input, options.overrides);
  HybridPlan plan{options.input, plan_on(setup::machines_for("").front(), workload_on, goal),
                  plan_on(other_machine(options, "--hybrid"), workload_on, goal)};
  DivisionCounts counts;
  counts.outputs = count_outputs(settings, plan.there.workload);
  plan.trajectory_bytes = estimate::trajectory_bytes(counts.outputs);
  counts.input_bytes = size_of_files(input::find_input_files(settings, options.input));
  counts.has_separate_start = !settings.ensemble.is_enabled();
  plan.division = divide(plan.here, plan.there, counts, goal);
  std::cout << (options.json ? json_answer(plan) : text_answer(plan)) << std::flush;
  if (!plan.division.choice.is_feasible) return core::ExitCode::wrong_input;
  if (!options.write.empty()) write_scripts(options, settings, plan);
  return core::ExitCode::done;
}

}  // namespace nfold::plan
