// Rows and columns of the layouts of a plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/plan_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "core/telemetry/progress.hpp"
#include "core/text_table.hpp"

namespace nfold::plan {
namespace {

using estimate::LayoutEstimate;

constexpr int bar_width = 12;

std::string bar(double share) {
  const int length = std::clamp(static_cast<int>(std::lround(share * bar_width)), 1, bar_width);
  return std::string(static_cast<std::size_t>(length), '#');
}

/// Returns three significant digits, or an integer from 1000 to 10^7.
std::string whole_number(double value) {
  return value >= 1000 && value < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

bool is_power_of_two(int number) { return (number & (number - 1)) == 0; }

/// True if both layouts are on the same machine and kind of devices.
bool are_alike(const LayoutEstimate& a, const LayoutEstimate& b) {
  return a.machine == b.machine && a.layout.on_gpu == b.layout.on_gpu &&
         (a.layout.cores_beside_gpus > 0) == (b.layout.cores_beside_gpus > 0);
}

/// Returns the layout that ends soonest of those like `k`; none if all are refused.
std::optional<std::size_t> soonest_like(const estimate::Choice& choice, std::size_t k) {
  std::optional<std::size_t> soonest;
  for (std::size_t other = 0; other < choice.all.size(); ++other) {
    const auto& one = choice.all[other];
    if (!one.is_feasible() || !are_alike(one, choice.all[k])) continue;
    if (!soonest || one.seconds < 0.995 * choice.all[*soonest].seconds) soonest = other;
  }
  return soonest;
}

/// Returns layouts like the choice that are powers of two, up to the one that ends soonest and one
/// more; of the other kinds of devices the alternatives and the first layout.
std::vector<std::size_t> layouts_of_one_machine(const estimate::Choice& choice) {
  std::set<std::size_t> shown;
  const auto taken = choice.best.value_or(0);
  const auto soonest = soonest_like(choice, taken).value_or(choice.all.size());
  const auto last = std::max(soonest, taken);
  bool ends = false;
  for (std::size_t k = 0; k < choice.all.size(); ++k) {
    const auto& layout = choice.all[k].layout;
    const bool is_first = k == 0 || !are_alike(choice.all[k], choice.all[k - 1]);
    if (!are_alike(choice.all[k], choice.all[taken])) {
      if (is_first) shown.insert(k);
      continue;
    }
    const bool is_round = is_power_of_two(layout.nodes) && is_power_of_two(layout.ranks_per_node);
    if (ends || !(is_round || k == taken || k == soonest)) continue;
    shown.insert(k);
    ends = k > last;
  }
  for (const auto& one : choice.alternatives) shown.insert(one.index);
  return {shown.begin(), shown.end()};
}

/// Returns the choice and the alternatives; of a machine without any the last layout, which is
/// refused.
std::vector<std::size_t> layouts_of_machines(const PlanReport& answer) {
  const auto& choice = answer.choice;
  std::set<std::size_t> shown;
  if (choice.best) shown.insert(*choice.best);
  for (const auto& one : choice.alternatives) shown.insert(one.index);
  std::vector<std::size_t> last(answer.machines.size(), choice.all.size());
  std::set<std::size_t> known;
  for (std::size_t k = 0; k < choice.all.size(); ++k) last[choice.all[k].machine] = k;
  for (const auto k : shown) known.insert(choice.all[k].machine);
  for (std::size_t machine = 0; machine < last.size(); ++machine) {
    if (!known.contains(machine) && last[machine] < choice.all.size()) shown.insert(last[machine]);
  }
  return {shown.begin(), shown.end()};
}

/// Cells of the columns.
class Cells {
 public:
  Cells(const PlanReport& answer, const std::vector<std::size_t>& shown) : answer_(answer) {
    for (const auto k : shown) {
      const auto& one = answer.choice.all[k];
      if (!one.is_feasible()) continue;
      longest_ = std::max(longest_, one.seconds);
      has_energy_ = has_energy_ || one.kilowatt_hours.has_value();
    }
  }

  [[nodiscard]] std::string name(std::size_t k, const std::string& text) const {
    return (answer_.choice.best == k ? "* " : "  ") + text;
  }
  [[nodiscard]] std::string layout(const LayoutEstimate& one) const {
    return estimate::describe(one.layout) + (is_extrapolated(answer_, one) ? " ~" : "") +
           (one.is_feasible() && one.moves_arrays ? " ^" : "");
  }
  static std::string time(const LayoutEstimate& one) {
    return fmt::format("{} ({} to {})", estimate::format_time_span(one.seconds),
                       estimate::format_time_span(one.low_seconds),
                       estimate::format_time_span(one.high_seconds));
  }
  [[nodiscard]] std::string bar_of(const LayoutEstimate& one) const {
    return bar(one.seconds / longest_);
  }
  [[nodiscard]] std::string cost(const LayoutEstimate& one) const {
    return format_money(one.cost, answer_.machines[one.machine].currency);
  }
  static std::string memory(const LayoutEstimate& one) {
    const auto bytes = one.layout.on_gpu ? one.work.device_bytes : one.work.host_bytes;
    return bytes > 0 ? telemetry::format_bytes(bytes) + (one.layout.on_gpu ? "/GPU" : "/node")
                     : "-";
  }
  /// Adds the columns that not every plan has: energy and the chance to meet the deadline.
  void add_headings(std::vector<std::string>& row) const {
    if (has_energy_) row.emplace_back("kWh");
    if (answer_.goal.deadline_seconds) row.emplace_back("in time");
  }
  void add_others(const LayoutEstimate& one, std::vector<std::string>& row) const {
    if (has_energy_) {
      row.push_back(one.kilowatt_hours ? fmt::format("{:.3g}", *one.kilowatt_hours) : "-");
    }
    if (answer_.goal.deadline_seconds) {
      row.push_back(fmt::format("{:.0f} %", 100 * one.chance_in_time));
    }
  }

 private:
  const PlanReport& answer_;
  double longest_ = 0;
  bool has_energy_ = false;
};

std::string table_of_one_machine(const PlanReport& answer, const std::vector<std::size_t>& shown) {
  const Cells cells(answer, shown);
  core::TextTable table("lrrrlrrrrrr");
  std::vector<std::string> heading{"  layout", "step, us", "ns/day", "time (90 %)", "",
                                   "cost",     "speed-up", "eff.",   "memory"};
  cells.add_headings(heading);
  table.add(heading);
  for (const auto k : shown) {
    const auto& one = answer.choice.all[k];
    const auto name = cells.name(k, cells.layout(one));
    if (!one.is_feasible()) {
      table.add({name, one.refused});
      continue;
    }
    const double step = step_seconds(answer, one);
    std::vector<std::string> row{name,
                                 step > 0 ? fmt::format("{:.4g}", 1e6 * step) : "-",
                                 step > 0 ? whole_number(ns_per_day(answer, one)) : "-",
                                 Cells::time(one),
                                 cells.bar_of(one),
                                 cells.cost(one),
                                 fmt::format("{:.2f}", one.speed_up),
                                 fmt::format("{:.0f} %", 100 * one.efficiency),
                                 Cells::memory(one)};
    cells.add_others(one, row);
    table.add(row);
  }
  return table.text();
}

std::string table_of_machines(const PlanReport& answer, const std::vector<std::size_t>& shown) {
  const Cells cells(answer, shown);
  core::TextTable table("llrlrrrr");
  std::vector<std::string> heading{"  machine", "layout", "time (90 %)", "", "cost", "memory"};
  cells.add_headings(heading);
  table.add(heading);
  for (const auto k : shown) {
    const auto& one = answer.choice.all[k];
    const auto name = cells.name(k, answer.machines[one.machine].name);
    if (!one.is_feasible()) {
      table.add({name, cells.layout(one), one.refused});
      continue;
    }
    std::vector<std::string> row{name,
                                 cells.layout(one),
                                 Cells::time(one),
                                 cells.bar_of(one),
                                 cells.cost(one),
                                 Cells::memory(one)};
    cells.add_others(one, row);
    table.add(row);
  }
  return table.text();
}

}  // namespace

double step_seconds(const PlanReport& answer, const LayoutEstimate& one) {
  const auto steps = static_cast<double>(answer.workload().steps);
  return steps > 0 ? one.work.time.steps / steps : 0;
}

double ns_per_day(const PlanReport& answer, const LayoutEstimate& one) {
  const double step = step_seconds(answer, one);
  constexpr double day = 86400, ns_per_ps = 1e-3;
  const auto& workload = answer.workload();
  return step > 0 ? workload.time_step_ps * ns_per_ps * day / step *
                        static_cast<double>(workload.replicas)
                  : 0;
}

bool is_extrapolated(const PlanReport& answer, const LayoutEstimate& one) {
  return one.layout.nodes > 1 || one.layout.ranks() > answer.machines[one.machine].measured_ranks;
}

std::string format_money(double amount, const std::string& currency) {
  if (amount == 0) return "free";
  return fmt::format("{} {}",
                     amount < 1 ? fmt::format("{:.3g}", amount) : fmt::format("{:.2f}", amount),
                     currency);
}

std::string format_table(const PlanReport& answer) {
  const bool is_one = answer.machines.size() == 1;
  const auto shown = is_one ? layouts_of_one_machine(answer.choice) : layouts_of_machines(answer);
  auto text = is_one ? table_of_one_machine(answer, shown) : table_of_machines(answer, shown);
  if (const auto others = answer.choice.all.size() - shown.size(); others > 0) {
    text += fmt::format("  {} further layouts, none better by this goal, are in --csv and --json\n",
                        others);
  }
  return text;
}

}  // namespace nfold::plan
