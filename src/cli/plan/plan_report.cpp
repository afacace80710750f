// Tables, JSON and CSV of a plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/csv.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"

namespace nfold::plan {
namespace {

using Json = nlohmann::json;
using estimate::LayoutEstimate;

constexpr int bar_width = 12;

double step_seconds(const PlanReport& answer, const LayoutEstimate& one) {
  const auto steps = static_cast<double>(answer.workload.steps);
  return steps > 0 ? one.work.time.steps / steps : 0;
}

double ns_per_day(const PlanReport& answer, const LayoutEstimate& one) {
  const double step = step_seconds(answer, one);
  constexpr double day = 86400, ns_per_ps = 1e-3;
  return step > 0 ? answer.workload.time_step_ps * ns_per_ps * day / step *
                        static_cast<double>(answer.workload.replicas)
                  : 0;
}

bool is_extrapolated(const estimate::Machine& machine, const LayoutEstimate& one) {
  return one.layout.nodes > 1 || one.layout.ranks() > machine.measured_ranks;
}

std::string bar(double share) {
  const int length = std::clamp(static_cast<int>(std::lround(share * bar_width)), 1, bar_width);
  return std::string(static_cast<std::size_t>(length), '#');
}

/// Returns three significant digits, or an integer from 1000 to 10^7.
std::string whole_number(double value) {
  return value >= 1000 && value < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string money(const PlanReport& answer, double amount) {
  return fmt::format("{:.2f} {}", amount, answer.machine.currency);
}

bool is_power_of_two(int number) { return (number & (number - 1)) == 0; }

/// Returns the chosen layout, and powers of two up to the one that ends soonest and one more.
std::vector<std::size_t> shown_layouts(const estimate::Choice& choice) {
  std::size_t soonest = choice.all.size();
  for (std::size_t k = 0; k < choice.all.size(); ++k) {
    const bool is_feasible = choice.all[k].is_feasible();
    if (is_feasible && (soonest == choice.all.size() ||
                        choice.all[k].seconds < 0.995 * choice.all[soonest].seconds)) {
      soonest = k;
    }
  }
  const auto last = std::max(soonest, choice.best.value_or(0));
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < choice.all.size(); ++k) {
    const auto& layout = choice.all[k].layout;
    const bool is_round = is_power_of_two(layout.nodes) &&
                          (layout.nodes > 1 || is_power_of_two(layout.ranks_per_node));
    if (k > last && !shown.empty() && shown.back() > last) break;
    if (is_round || k == choice.best || k == soonest) shown.push_back(k);
  }
  return shown;
}

std::string layout_table(const PlanReport& answer) {
  core::TextTable table("lrrrlrrrr");
  table.add({"  layout", "step, us", "ns/day", "time (90 %)", "", "cost", "speed-up", "eff.",
             answer.machine.has_gpus() ? "a GPU" : "a node"});
  double longest = 0;
  for (const auto& one : answer.choice.all) {
    if (one.is_feasible()) longest = std::max(longest, one.seconds);
  }
  const auto shown = shown_layouts(answer.choice);
  for (const auto k : shown) {
    const auto& one = answer.choice.all[k];
    const auto name = (answer.choice.best == k ? "* " : "  ") + estimate::describe(one.layout) +
                      (is_extrapolated(answer.machine, one) ? " ~" : "");
    if (!one.is_feasible()) {
      table.add({name, one.refused});
      continue;
    }
    const double step = step_seconds(answer, one);
    const auto bytes = answer.machine.has_gpus() ? one.work.device_bytes : one.work.host_bytes;
    table.add({name, step > 0 ? fmt::format("{:.4g}", 1e6 * step) : "-",
               step > 0 ? whole_number(ns_per_day(answer, one)) : "-",
               fmt::format("{} ({} to {})", estimate::format_time_span(one.seconds),
                           estimate::format_time_span(one.low_seconds),
                           estimate::format_time_span(one.high_seconds)),
               bar(one.seconds / longest), money(answer, one.cost),
               fmt::format("{:.2f}", one.speed_up), fmt::format("{:.0f} %", 100 * one.efficiency),
               bytes > 0 ? telemetry::format_bytes(bytes) : "-"});
  }
  auto text = table.text();
  if (const auto larger = answer.choice.all.size() - 1 - shown.back(); larger > 0) {
    text += fmt::format("  {} larger layouts end no sooner\n", larger);
  }
  if (const auto between = shown.back() + 1 - shown.size(); between > 0) {
    text += fmt::format("  {} layouts between these are in --csv and --json\n", between);
  }
  return text;
}

Json format_json(const PlanReport& answer, const LayoutEstimate& one) {
  const auto& layout = one.layout;
  Json row{{"layout", estimate::describe(layout)},
           {"nodes", layout.nodes},
           {"ranks_per_node", layout.ranks_per_node},
           {"on_gpu", layout.on_gpu},
           {"possible", one.is_feasible()},
           {"extrapolated", is_extrapolated(answer.machine, one)}};
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
  row["jobs"] = one.jobs;
  row["chance_in_time"] = one.chance_in_time;
  row["device_bytes"] = one.work.device_bytes;
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

}  // namespace

std::string format_text(const PlanReport& answer) {
  const auto& choice = answer.choice;
  std::string text = answer.input + "\n";
  for (const auto& line : answer.workload.lines) text += "  " + line + "\n";
  text += fmt::format("machine {}: {}; speeds {}\n", answer.machine.name,
                      answer.machine.description, answer.machine.speed_source);
  text += layout_table(answer);
  const bool extrapolates = std::ranges::any_of(choice.all, [&](const auto& one) {
    return one.is_feasible() && is_extrapolated(answer.machine, one);
  });
  if (extrapolates) {
    text += fmt::format("  ~ extrapolated: one system was measured on {} ranks at most\n",
                        answer.machine.measured_ranks);
  }
  if (!choice.best) return text + "no plan: " + choice.reason + "\n";
  const auto& best = choice.all[*choice.best];
  text += fmt::format("plan: {}, {} ({} to {} with 90 %), {}\n", estimate::describe(best.layout),
                      estimate::format_time_span(best.seconds),
                      estimate::format_time_span(best.low_seconds),
                      estimate::format_time_span(best.high_seconds), money(answer, best.cost));
  text += "  " + choice.reason + "\n";
  text += "  parts: " + estimate::describe_parts(best.work.time) + "\n";
  if (best.work.correction_runs > 0) {
    text += fmt::format("  steps take {:.3g} times what the machine's entry says, as {} told\n",
                        best.work.correction,
                        core::pluralise(best.work.correction_runs, "earlier run"));
  }
  if (const double needed = answer.workload.folding_gpu_seconds; needed > 0) {
    text += fmt::format(
        "  sampling: a folding equilibrium of {} residues needs about {} of an H200; this is {}\n",
        answer.workload.residues, estimate::format_time_span(needed),
        estimate::format_time_span(answer.workload.given_gpu_seconds));
  }
  for (const auto& one : answer.workload.errors) {
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
        best.jobs, answer.machine.most_hours);
  }
  return text;
}

std::string format_json(const PlanReport& answer) {
  const auto& choice = answer.choice;
  Json layouts = Json::array();
  for (const auto& one : choice.all) layouts.push_back(format_json(answer, one));
  Json document{
      {"format", 1},
      {"input", answer.input},
      {"kind", answer.workload.kind},
      {"residues", answer.workload.residues},
      {"steps", answer.workload.steps},
      {"replicas", answer.workload.replicas},
      {"machine",
       {{"name", answer.machine.name},
        {"description", answer.machine.description},
        {"speeds_are", answer.machine.speed_source},
        {"scaled", answer.machine.steps_are_scaled}}},
      {"objective", estimate::objective_names()[static_cast<std::size_t>(answer.goal.objective)]},
      {"layouts", std::move(layouts)},
      {"reason", choice.reason},
      {"meets_deadline", choice.meets_deadline},
      {"meets_budget", choice.meets_budget},
      {"expected_errors", Json::array()},
      {"currency", answer.machine.currency}};
  if (answer.workload.folding_gpu_seconds > 0) {
    document["folding"] = {{"needed_h200_seconds", answer.workload.folding_gpu_seconds},
                           {"given_h200_seconds", answer.workload.given_gpu_seconds}};
  }
  for (const auto& one : answer.workload.errors) {
    document["expected_errors"].push_back({{"observable", one.mean.observable},
                                           {"of", one.mean.of},
                                           {"mean", one.mean.mean},
                                           {"standard_error", one.mean.standard_error},
                                           {"sampled_ps", one.mean.sampled_ps},
                                           {"scatter", one.scatter},
                                           {"runs", one.runs}});
  }
  if (answer.workload.kind == "batch") {
    document["targets"] = Json::array();
    for (const auto& one : answer.workload.targets) {
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
      "device_bytes,taken\n";
  for (std::size_t k = 0; k < answer.choice.all.size(); ++k) {
    const auto& one = answer.choice.all[k];
    if (!one.is_feasible()) continue;
    text += core::csv_row(one.layout.nodes, one.layout.ranks(), one.layout.on_gpu,
                          step_seconds(answer, one), one.seconds, one.low_seconds, one.high_seconds,
                          one.cost, one.speed_up, one.efficiency, one.work.device_bytes,
                          answer.choice.best == k) +
            "\n";
  }
  return text;
}

}  // namespace nfold::plan
