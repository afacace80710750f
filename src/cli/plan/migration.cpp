// Rest of a run here and there, with the move, and the scripts of the move.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/plan/site_files.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "input/named_files.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;
using estimate::JobOption;
using estimate::Site;
using estimate::Stage;
using Json = nlohmann::json;

constexpr double spread_of_measured = 0.1;  // a computer that others use too varies by that much
constexpr const char* load_stage = "load";

/// Fraction of the whole run that is left.
double fraction_left(const StartedRun& run) {
  return static_cast<double>(run.steps_left()) / static_cast<double>(run.settings.dynamics.steps);
}

/// Time [s] of the remaining steps with their files, by a plan of the whole run.
double planned_rest(const StartedRun& run, const estimate::JobTime& whole) {
  return (whole.seconds() - whole.start - whole.minimising - whole.analysis) * fraction_left(run) +
         whole.analysis;
}

double price_of_measured(const StartedRun& run, const estimate::Machine& here) {
  constexpr double hour = 3600;
  const bool on_gpu = run.backend == estimate::Backend::gpu;
  return (on_gpu ? here.gpu_hour : here.core_hour) / hour * run.speed->ranks;
}

JobOption option_stay(const StartedRun& run, const MachinePlan& here) {
  JobOption option{"stay", {}, {}};
  if (run.speed) {
    const double price = price_of_measured(run, here.machine);
    const auto add = [&](const char* name, double seconds) {
      option.stages.push_back({name, Site::here, seconds, spread_of_measured, price * seconds});
    };
    if (!run.is_running) add(load_stage, run.speed->start_seconds);
    add(steps_stage, run.speed->step_seconds * static_cast<double>(run.steps_left()));
    return option;
  }
  option.refused = here.refused;
  if (!here.best) return option;
  const auto& time = here.best->work.time;
  if (!run.is_running)
    option.stages.push_back(compute_stage(load_stage, Site::here, time.start, here));
  option.stages.push_back(compute_stage(steps_stage, Site::here, planned_rest(run, time), here));
  return option;
}

JobOption option_move(const StartedRun& run, const MachinePlan& there) {
  JobOption option{"move", {}, there.refused};
  if (!there.best) return option;
  const auto& link = there.machine.transfer;
  const auto& time = there.best->work.time;
  const auto back =
      std::max(run.bytes, estimate::output_bytes(count_outputs(run.settings, there.workload)));
  option.stages = {transfer_stage("send", link, run.bytes, false), wait_stage(link),
                   compute_stage(load_stage, Site::there, time.start, there),
                   compute_stage(steps_stage, Site::there, planned_rest(run, time), there),
                   transfer_stage("fetch", link, back, true)};
  return option;
}

double seconds_of_steps(const JobOption& option) {
  const auto found = std::ranges::find(option.stages, steps_stage, &Stage::name);
  return found == option.stages.end() ? 0 : found->seconds;
}

struct MigrationPlan {
  StartedRun run;
  MachinePlan here, there;
  Migration migration;
};

std::string describe_bits(const MigrationPlan& plan) {
  if (plan.migration.keeps_bits) {
    return "the bits stay those of an unmoved run: both compute on the same backend";
  }
  const bool to_gpu = plan.run.backend == estimate::Backend::cpu;
  return fmt::format(
      "the run was computed on {}; from step {} on its bits become those of {}, and "
      "differ from an unmoved run's",
      to_gpu ? "a CPU" : "a GPU", plan.run.step, to_gpu ? "a GPU" : "a CPU");
}

std::string describe_gain(const Migration& migration) {
  return fmt::format(
      "moving ends sooner with a chance of {}; {}",
      estimate::format_chance(migration.chance_sooner),
      migration.break_even_steps
          ? fmt::format("both end at the same time with {} steps left", *migration.break_even_steps)
          : std::string("it would do so with no number of steps left"));
}

std::string text_answer(const MigrationPlan& plan) {
  const auto& [run, here, there, migration] = plan;
  auto text = fmt::format("{}: step {} of {}, {}\n", run.paths.folder.string(), run.step,
                          run.settings.dynamics.steps, run.is_running ? "running" : "stopped");
  text += run.speed ? fmt::format("  a step takes {:.4g} us here, by {}\n",
                                  1e6 * run.speed->step_seconds, run.speed->source)
                    : std::string("  too few steps were made to know its speed; it is planned\n");
  text += describe(there) + "\n";
  text += format_table(migration.options, migration.choice, there.machine.currency);
  if (migration.options[move].is_feasible()) {
    text += "  " + describe_gain(migration) + "\n  " + describe_bits(plan) + "\n";
  }
  return text + format_choice(migration.options, migration.choice, there.machine.currency);
}

std::string json_answer(const MigrationPlan& plan) {
  const auto& [run, here, there, migration] = plan;
  Json document{{"format", 1},
                {"folder", run.paths.folder.string()},
                {"step", run.step},
                {"steps", run.settings.dynamics.steps},
                {"running", run.is_running},
                {"step_seconds", run.speed ? Json(run.speed->step_seconds) : Json()},
                {"speed_source", run.speed ? Json(run.speed->source) : Json()},
                {"there", format_json(there)},
                {"bytes_there", run.bytes},
                {"options", Json::array()},
                {"chance_sooner", migration.chance_sooner},
                {"same_bits", migration.keeps_bits},
                {"reason", migration.choice.reason}};
  for (const auto& option : migration.options) document["options"].push_back(format_json(option));
  document["break_even_steps"] =
      migration.break_even_steps ? Json(*migration.break_even_steps) : Json();
  document["best"] =
      migration.choice.is_feasible ? Json(migration.options[migration.choice.best].name) : Json();
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Writes the script that sends the run's folder and the job script that goes on there.
void write_scripts(const PlanOptions& options, const MigrationPlan& plan) {
  const auto& [run, here, there, migration] = plan;
  const auto folder = fs::absolute(run.paths.folder).lexically_normal();
  // A path that ends in a slash has an empty file name.
  const auto own = folder.has_filename() ? folder : folder.parent_path();
  estimate::SiteScript script;
  script.name = run.paths.name;
  script.steps = run.settings.dynamics.steps;
  script.results = own.parent_path().string();
  script.output = own.filename().string();
  script.goes_on = true;
  script.there = {there.machine.name,
                  there.machine.transfer,
                  {estimate::there_script_name},
                  options.scheduler,
                  name_of_job(run.paths.input(), run.settings)};
  auto rest = *there.best;
  const double part = migration.options[move].seconds() / rest.seconds;
  rest.high_seconds *= std::min(1.0, part);
  auto job_options = options;
  job_options.input = script.output + "/" + run.paths.input().filename().string();
  write_site_scripts(options, script, job_script(job_options, there.machine, there.workload, rest));
}

}  // namespace

Migration compare_sites(const StartedRun& run, const MachinePlan& here, const MachinePlan& there,
                        const estimate::PlanGoal& goal) {
  Migration migration;
  migration.options = {option_stay(run, here), option_move(run, there)};
  migration.choice = choose_site(migration.options, goal);
  const auto &staying = migration.options[stay], &moving = migration.options[move];
  if (there.best && run.backend) {
    migration.keeps_bits = to_backend(there.best->layout) == *run.backend;
  }
  if (!staying.is_feasible() || !moving.is_feasible()) return migration;
  migration.chance_sooner = chance_sooner(moving, staying);
  const double here_steps = seconds_of_steps(staying), there_steps = seconds_of_steps(moving);
  const auto& link = there.machine.transfer;
  // Files that are yet to be written are fetched in proportion to the steps.
  const double grown = moving.stages.back().seconds - transfer_seconds(link, run.bytes);
  const double fraction =
      estimate::break_even_fraction(staying.seconds() - here_steps, here_steps,
                                    moving.seconds() - there_steps - grown, there_steps + grown);
  if (std::isfinite(fraction)) {
    migration.break_even_steps = std::llround(fraction * static_cast<double>(run.steps_left()));
  }
  return migration;
}

core::ExitCode plan_migration(const PlanOptions& options) {
  if (!options.input.empty()) {
    core::refuse("nfold plan --resume", "an input beside it, " + options.input,
                 "leave it out: the folder holds the input of its run");
  }
  if (!options.write.empty()) require_writable_scripts(options);
  const auto goal = plan_goal(options);
  auto run = read_started_run(options.resume, options.overrides);
  const auto workload_on = count_workload(run.paths.input(), options.overrides);
  MachinePlan here{setup::machine_for(""), {}, {}, {}};
  if (!run.speed) here = plan_on(here.machine, workload_on, goal);
  auto there = plan_on(other_machine(options, "--resume"), workload_on, goal);
  auto migration = compare_sites(run, here, there, goal);
  const MigrationPlan plan{std::move(run), std::move(here), std::move(there), std::move(migration)};
  std::cout << (options.json ? json_answer(plan) : text_answer(plan)) << std::flush;
  const auto& choice = plan.migration.choice;
  if (!options.write.empty() && choice.is_feasible && choice.best == move) {
    write_scripts(options, plan);
  }
  return core::ExitCode::done;
}

}  // namespace nfold::plan
