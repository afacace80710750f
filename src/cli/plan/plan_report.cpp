// Tables, JSON and CSV of a plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/plan/plan_table.hpp"
#include "core/csv.hpp"
#include "core/text.hpp"

namespace nfold::plan {
namespace {

using Json = nlohmann::json;
using estimate::LayoutEstimate;

/// Returns the layout's name, with its machine if there are several.
std::string name_of(const PlanReport& answer, const LayoutEstimate& one) {
  return answer.machines.size() == 1
             ? estimate::describe(one.layout)
             : estimate::describe(one.layout, answer.machines[one.machine].name);
}

/// Returns "12 % later" or "3.1 times as long"; "as soon" within half a percent.
std::string compare_times(double seconds, double chosen) {
  const double ratio = seconds / chosen;
  if (std::abs(ratio - 1) < 0.005) return "as soon";
  if (ratio >= 2) return fmt::format("{:.3g} times as long", ratio);
  return fmt::format("{:.0f} % {}", 100 * std::abs(ratio - 1), ratio > 1 ? "later" : "sooner");
}

std::string compare_costs(const PlanReport& answer, const LayoutEstimate& one,
                          const LayoutEstimate& chosen) {
  const auto& currency = answer.machines[one.machine].currency;
  if (currency != answer.machine().currency) return format_money(one.cost, currency);
  const double difference = one.cost - chosen.cost;
  if (difference == 0) return "at the same cost";
  return fmt::format("{} {}", format_money(std::abs(difference), currency),
                     difference > 0 ? "dearer" : "cheaper");
}

/// Returns a line for each alternative, and the confidence of the choice.
std::string format_alternatives(const PlanReport& answer) {
  const auto& choice = answer.choice;
  const auto& chosen = choice.all[*choice.best];
  const char* const is_better = choice.by_cost ? "costs less" : "ends sooner";
  std::string text, confidence;
  for (const auto& alternative : choice.alternatives) {
    const auto& one = choice.all[alternative.index];
    text +=
        fmt::format("  or {}: {}, {}", name_of(answer, one),
                    compare_times(one.seconds, chosen.seconds), compare_costs(answer, one, chosen));
    if (answer.goal.deadline_seconds && !alternative.meets_goal) {
      text += fmt::format(", in time with {:.0f} %", 100 * one.chance_in_time);
    }
    if (answer.goal.budget.value_or(one.cost) < one.cost) text += ", beyond the budget";
    text += "\n";
    if (confidence.empty() && alternative.choice_is_better == choice.confidence &&
        choice.confidence) {
      confidence =
          fmt::format("  confidence: {} {} than {} with {:.0f} %\n", name_of(answer, chosen),
                      is_better, name_of(answer, one), 100 * *choice.confidence);
    }
  }
  return confidence + text;
}

Json format_json(const PlanReport& answer, const LayoutEstimate& one) {
  const auto& layout = one.layout;
  Json row{{"machine", answer.machines[one.machine].name},
           {"layout", estimate::describe(layout)},
           {"nodes", layout.nodes},
           {"ranks_per_node", layout.ranks_per_node},
           {"on_gpu", layout.on_gpu},
           {"cores_beside_gpus", layout.cores_beside_gpus},
           {"possible", one.is_feasible()},
           {"extrapolated", is_extrapolated(answer, one)}};
  if (!one.is_feasible()) {
    row["reason"] = one.refused;
    return row;
  }
  row["step_seconds"] = step_seconds(answer, one);
  row["ns_per_day"] = ns_per_day(answer, one);
  row["seconds"] = one.seconds;
  row["seconds_of_steps"] = one.work.time.steps;
  for (const auto& part : one.work.time.parts()) {
    row["parts_seconds"][std::string(part.name)] = part.seconds;
  }
  row["low_seconds"] = one.low_seconds;
  row["high_seconds"] = one.high_seconds;
  row["speed_up"] = one.speed_up;
  row["efficiency"] = one.efficiency;
  row["cost"] = one.cost;
  row["kilowatt_hours"] = one.kilowatt_hours ? Json(*one.kilowatt_hours) : Json();
  row["jobs"] = one.jobs;
  row["chance_in_time"] = one.chance_in_time;
  row["device_bytes"] = one.work.device_bytes;
  row["moves_arrays_to_host"] = one.moves_arrays;
  row["host_bytes_of_node"] = one.work.host_bytes;
  row["correction"] = one.work.correction;
  row["correction_runs"] = one.work.correction_runs;
  row["bottleneck"] = one.work.bottleneck;
  // Scaled like step_seconds, which includes the correction by earlier runs.
  const double by_model = one.work.step.seconds();
  for (const auto& part : one.work.step.parts()) {
    if (!(by_model > 0)) break;
    row["step_parts_seconds"][std::string(part.name)] =
        part.seconds / by_model * step_seconds(answer, one);
  }
  return row;
}

Json format_json(const estimate::Machine& machine) {
  return {{"name", machine.name},
          {"description", machine.description},
          {"speeds_are", machine.speed_source},
          {"scaled", machine.steps_are_scaled},
          {"currency", machine.currency},
          {"notes", machine.notes}};
}

}  // namespace

std::string format_text(const PlanReport& answer) {
  const auto& choice = answer.choice;
  const auto& workload = answer.workload();
  std::string text = answer.input + "\n";
  for (const auto& line : workload.lines) text += "  " + line + "\n";
  for (const auto& machine : answer.machines) {
    text += fmt::format("machine {}: {}; speeds {}\n", machine.name, machine.description,
                        machine.speed_source);
    const double wait = answer.machines.size() > 1 ? machine.transfer.wait_minutes : 0;
    if (wait > 0) text += fmt::format("  times include {:.3g} min until a job starts\n", wait);
    for (const auto& note : machine.notes) text += "  " + note + "\n";
  }
  text += format_table(answer);
  const bool extrapolates = std::ranges::any_of(choice.all, [&](const auto& one) {
    return one.is_feasible() && is_extrapolated(answer, one);
  });
  if (extrapolates) {
    text += "  ~ extrapolated: more ranks than one system was measured on\n";
  }
  if (std::ranges::any_of(choice.all,
                          [](const auto& one) { return one.is_feasible() && one.moves_arrays; })) {
    text +=
        "  ^ a GPU is too small for all arrays: seldom-read ones go to host memory, in the order "
        "of nfold check --memory; what that costs in time is not estimated\n";
  }
  if (!choice.best) return text + "no plan: " + choice.reason + "\n";
  const auto& best = choice.all[*choice.best];
  text += fmt::format("plan: {}, {} ({} to {} with 90 %), {}\n", name_of(answer, best),
                      estimate::format_time_span(best.seconds),
                      estimate::format_time_span(best.low_seconds),
                      estimate::format_time_span(best.high_seconds),
                      format_money(best.cost, answer.machine().currency));
  text += "  " + choice.reason + "\n" + format_alternatives(answer);
  text += "  parts: " + estimate::describe_parts(best.work.time) + "\n";
  if (best.work.correction_runs > 0) {
    text += fmt::format("  steps take {:.3g} times what the machine's entry says, as {} told\n",
                        best.work.correction,
                        core::pluralise(best.work.correction_runs, "earlier run"));
  }
  if (const double needed = workload.folding_gpu_seconds; needed > 0) {
    text += fmt::format(
        "  sampling: a folding equilibrium of {} residues needs about {} of an H200; this is {}\n",
        workload.residues, estimate::format_time_span(needed),
        estimate::format_time_span(workload.given_gpu_seconds));
  }
  for (const auto& one : workload.errors) {
    text += fmt::format("  expected of this run: {}{} {:.4g} +- {:.2g}, as {} told\n",
                        one.mean.observable, one.mean.of.empty() ? "" : " of " + one.mean.of,
                        one.mean.mean, one.mean.standard_error,
                        core::pluralise(one.runs, "earlier run"));
    if (one.scatter < estimate::suspicious_scatter) continue;
    text += fmt::format(
        "    their means lie {:.2g} times as far apart as their errors say: they were shorter than "
        "the slowest motion\n",
        one.scatter);
  }
  if (best.jobs > 1) {
    text += fmt::format(
        "  {} jobs in a row, each of {:.4g} h at most; each goes on where the last one stopped\n",
        best.jobs, answer.machine().most_hours);
  }
  return text;
}

std::string format_json(const PlanReport& answer) {
  const auto& choice = answer.choice;
  Json layouts = Json::array();
  for (const auto& one : choice.all) layouts.push_back(format_json(answer, one));
  const auto& workload = answer.workload();
  Json machines = Json::array(), alternatives = Json::array();
  for (const auto& machine : answer.machines) machines.push_back(format_json(machine));
  for (const auto& one : choice.alternatives) {
    alternatives.push_back(
        {{"index", one.index},
         {"meets_goal", one.meets_goal},
         {"choice_is_better", one.choice_is_better ? Json(*one.choice_is_better) : Json()}});
  }
  Json document{
      {"format", 1},
      {"input", answer.input},
      {"kind", workload.kind},
      {"residues", workload.residues},
      {"steps", workload.steps},
      {"replicas", workload.replicas},
      {"machine", format_json(answer.machine())},
      {"machines", std::move(machines)},
      {"objective", estimate::objective_names()[static_cast<std::size_t>(answer.goal.objective)]},
      {"layouts", std::move(layouts)},
      {"reason", choice.reason},
      {"alternatives", std::move(alternatives)},
      {"confidence", choice.confidence ? Json(*choice.confidence) : Json()},
      {"meets_deadline", choice.meets_deadline},
      {"meets_budget", choice.meets_budget},
      {"expected_errors", Json::array()},
      {"currency", answer.machine().currency}};
  if (workload.folding_gpu_seconds > 0) {
    document["folding"] = {{"needed_h200_seconds", workload.folding_gpu_seconds},
                           {"given_h200_seconds", workload.given_gpu_seconds}};
  }
  for (const auto& one : workload.errors) {
    document["expected_errors"].push_back({{"observable", one.mean.observable},
                                           {"of", one.mean.of},
                                           {"mean", one.mean.mean},
                                           {"standard_error", one.mean.standard_error},
                                           {"sampled_ps", one.mean.sampled_ps},
                                           {"scatter", one.scatter},
                                           {"runs", one.runs}});
  }
  if (workload.kind == "batch") {
    document["targets"] = Json::array();
    for (const auto& one : workload.targets) {
      document["targets"].push_back({{"name", one.name},
                                     {"seconds", one.seconds},
                                     {"low_seconds", one.interval.low},
                                     {"high_seconds", one.interval.high},
                                     {"runs", one.runs}});
    }
  }
  document["deadline_seconds"] =
      answer.goal.deadline_seconds ? Json(*answer.goal.deadline_seconds) : Json();
  document["budget"] = answer.goal.budget ? Json(*answer.goal.budget) : Json();
  document["best"] = choice.best ? Json(*choice.best) : Json();
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string format_csv(const PlanReport& answer) {
  std::string text =
      "nodes,ranks,on_gpu,step_seconds,seconds,low_seconds,high_seconds,cost,speed_up,efficiency,"
      "device_bytes,taken,machine,cores_beside_gpus,kilowatt_hours,chance_in_time\n";
  for (std::size_t k = 0; k < answer.choice.all.size(); ++k) {
    const auto& one = answer.choice.all[k];
    if (!one.is_feasible()) continue;
    text += core::csv_row(one.layout.nodes, one.layout.ranks(), one.layout.on_gpu,
                          step_seconds(answer, one), one.seconds, one.low_seconds, one.high_seconds,
                          one.cost, one.speed_up, one.efficiency, one.work.device_bytes,
                          answer.choice.best == k, answer.machines[one.machine].name,
                          one.layout.cores_beside_gpus, one.kilowatt_hours.value_or(0),
                          one.chance_in_time) +
            "\n";
  }
  return text;
}

}  // namespace nfold::plan
