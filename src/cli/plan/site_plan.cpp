// Stages of machines' plans, and their table.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/site_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/duration.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::plan {
namespace {

using estimate::JobOption;
using Json = nlohmann::json;

constexpr double spread_of_transfer = 0.4;

const char* arrow(estimate::Site site) {
  return site == estimate::Site::between ? "" : estimate::site_name(site);
}

/// Returns the names of all stages in the order of the last option that has them.
std::vector<std::string> stage_names(const std::vector<JobOption>& options) {
  std::vector<std::string> names;
  for (auto option = options.rbegin(); option != options.rend(); ++option) {
    if (!option->is_feasible()) continue;
    auto place = names.begin();
    for (const auto& stage : option->stages) {
      const auto known = std::ranges::find(names, stage.name);
      place = known == names.end() ? names.insert(place, stage.name) : known;
      ++place;
    }
  }
  return names;
}

std::string stage_cell(const JobOption& option, const std::string& name) {
  const auto found = std::ranges::find(option.stages, name, &estimate::Stage::name);
  if (found == option.stages.end()) return "-";
  const std::string site = arrow(found->site);
  return estimate::format_time_span(found->seconds) + (site.empty() ? "" : " " + site);
}

}  // namespace

MachinePlan plan_on(const estimate::Machine& machine, const WorkloadOnMachine& workload_on,
                    const estimate::PlanGoal& goal) {
  MachinePlan plan{machine, workload_on(machine), {}, {}};
  auto choice = estimate::choose(machine, estimate::list_layouts(machine), plan.workload.on, goal);
  plan.workload.on = {};
  if (choice.best) {
    plan.best = std::move(choice.all[*choice.best]);
  } else {
    plan.refused = choice.reason;
  }
  return plan;
}

estimate::Machine other_machine(const PlanOptions& options, const char* option) {
  std::vector<estimate::Machine> machines;
  if (!options.machine.empty()) machines = setup::machines_for(options.machine);
  std::erase_if(machines, [](const auto& machine) { return machine.name == "here"; });
  if (machines.size() != 1) {
    core::refuse(
        std::string("nfold plan ") + option,
        fmt::format("{} beside this computer", core::pluralise(machines.size(), "machine")),
        "name one by --machine NAME or FILE");
  }
  return machines.front();
}

estimate::PlanGoal plan_goal(const PlanOptions& options) {
  estimate::PlanGoal goal{options.objective, {}, options.budget};
  if (!options.deadline.empty()) {
    goal.deadline_seconds = core::parse_duration_seconds(options.deadline, "--deadline");
  }
  return goal;
}

estimate::OutputCounts count_outputs(const input::Settings& settings, const Workload& workload) {
  const auto steps = settings.dynamics.steps;
  const auto rows = [&](std::int64_t every) { return every > 0 ? steps / every + 1 : 0; };
  const auto& ensemble = settings.ensemble;
  const auto& observables = settings.observables;
  estimate::OutputCounts counts;
  counts.residues = workload.residues;
  counts.replicas = workload.replicas;
  counts.frames = settings.output.frame_count(steps);
  counts.energy_rows = rows(settings.output.energies_every_steps);
  counts.is_exported = settings.output.dcd;
  counts.distinct_residues = workload.distinct_residues;
  if (ensemble.is_enabled()) {
    counts.frames *= static_cast<std::int64_t>(ensemble.trajectory_replicas.size());
    counts.energy_rows = 0;
    counts.samples = rows(ensemble.sample_every_steps);
    return counts;
  }
  if (observables.every_steps > 0) {
    counts.pair_tables = int{observables.contact_maps} + int{observables.residue_energies} +
                         int{observables.phase_locking};
  }
  return counts;
}

estimate::Stage compute_stage(const std::string& name, estimate::Site site, double seconds,
                              const MachinePlan& plan) {
  const auto& best = *plan.best;
  const double spread = estimate::to_spread(best.seconds, {best.low_seconds, best.high_seconds});
  return {name, site, seconds, spread, best.cost / best.seconds * seconds};
}

estimate::Stage transfer_stage(const std::string& name, const estimate::TransferLink& link,
                               std::int64_t bytes, bool is_back) {
  return {name, estimate::Site::between, estimate::transfer_seconds(link, bytes),
          spread_of_transfer, is_back ? estimate::transfer_price(link, bytes) : 0};
}

estimate::Stage wait_stage(const estimate::TransferLink& link) {
  constexpr double minute = 60;
  return {"wait for the job", estimate::Site::between, minute * link.wait_minutes,
          estimate::spread_of_wait, 0};
}

std::string format_table(const std::vector<JobOption>& options, const estimate::SiteChoice& choice,
                         const std::string& currency) {
  core::TextTable table("l" + std::string(options.size(), 'r'));
  const auto add_row = [&](const std::string& name, const auto& cell) {
    std::vector<std::string> row{"  " + name};
    for (const auto& option : options) {
      row.push_back(option.is_feasible() ? cell(option) : std::string("-"));
    }
    table.add(std::move(row));
  };
  std::vector<std::string> heading{"  stage"};
  for (std::size_t k = 0; k < options.size(); ++k) {
    const bool is_best = choice.is_feasible && choice.best == k;
    heading.push_back((is_best ? "* " : "") + options[k].name);
  }
  table.add(std::move(heading));
  for (const auto& name : stage_names(options)) {
    add_row(name, [&](const JobOption& option) { return stage_cell(option, name); });
  }
  add_row("in all", [](const JobOption& one) { return estimate::format_time_span(one.seconds()); });
  add_row("90 %", [](const JobOption& one) {
    const auto interval = one.interval();
    return fmt::format("{} to {}", estimate::format_time_span(interval.low),
                       estimate::format_time_span(interval.high));
  });
  add_row("cost, " + currency,
          [](const JobOption& one) { return fmt::format("{:.2f}", one.cost()); });
  auto text = table.text();
  for (const auto& option : options) {
    if (!option.is_feasible()) text += fmt::format("  no {}: {}\n", option.name, option.refused);
  }
  return text;
}

std::string format_choice(const std::vector<JobOption>& options, const estimate::SiteChoice& choice,
                          const std::string& currency) {
  if (!choice.is_feasible) return "no plan: " + choice.reason + "\n";
  const auto& best = options[choice.best];
  const auto interval = best.interval();
  return fmt::format(
      "plan: {}, {} ({} to {} with 90 %), {:.2f} {}\n  {}\n", best.name,
      estimate::format_time_span(best.seconds()), estimate::format_time_span(interval.low),
      estimate::format_time_span(interval.high), best.cost(), currency, choice.reason);
}

Json format_json(const JobOption& option) {
  Json row{{"name", option.name}, {"possible", option.is_feasible()}};
  if (!option.is_feasible()) {
    row["reason"] = option.refused;
    return row;
  }
  const auto interval = option.interval();
  row["seconds"] = option.seconds();
  row["low_seconds"] = interval.low;
  row["high_seconds"] = interval.high;
  row["cost"] = option.cost();
  row["stages"] = Json::array();
  for (const auto& stage : option.stages) {
    row["stages"].push_back({{"name", stage.name},
                             {"site", estimate::site_name(stage.site)},
                             {"seconds", stage.seconds},
                             {"cost", stage.cost}});
  }
  return row;
}

Json format_json(const MachinePlan& plan) {
  Json row{{"name", plan.machine.name},
           {"description", plan.machine.description},
           {"currency", plan.machine.currency},
           {"possible", plan.best.has_value()}};
  if (!plan.best) {
    row["reason"] = plan.refused;
    return row;
  }
  row["layout"] = estimate::describe(plan.best->layout);
  row["nodes"] = plan.best->layout.nodes;
  row["ranks_per_node"] = plan.best->layout.ranks_per_node;
  row["on_gpu"] = plan.best->layout.on_gpu;
  row["seconds"] = plan.best->seconds;
  return row;
}

std::string describe(const MachinePlan& plan) {
  return fmt::format("{}: {}, {}", plan.machine.name, plan.machine.description,
                     plan.best ? estimate::describe(plan.best->layout) : plan.refused);
}

}  // namespace nfold::plan
