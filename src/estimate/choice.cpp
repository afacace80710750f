// Comparison of machines and layouts by time and cost.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "estimate/interval.hpp"

namespace nfold::estimate {
namespace {

constexpr double hour = 3600, joules_per_kilowatt_hour = 3.6e6;
constexpr double end_tolerance = 0.01;  // relative tolerance of the soonest end
constexpr double spread_beyond_node = 0.2;
constexpr double memory_safety_factor = 1.05;  // safety factor of memory estimates
// Correlation of the errors of two layouts of one machine on the same kind of devices: both come
// from the same coefficients. Errors of other pairs are taken as independent.
constexpr double correlation_within_machine = 0.8;

using Indices = std::vector<std::size_t>;
/// Machine and kind of devices: GPUs, cores, or GPUs with cores beside them.
using Group = std::tuple<std::size_t, bool, bool>;
Group group_of(const LayoutEstimate& one) {
  return {one.machine, one.layout.on_gpu, one.layout.cores_beside_gpus > 0};
}

/// Returns the part of a node that a layout occupies: of its GPUs or of its cores, the larger.
double share_of_node(const Machine& machine, const Layout& layout) {
  if (!layout.on_gpu) return static_cast<double>(layout.ranks_per_node) / machine.cores_per_node;
  const double gpus = static_cast<double>(layout.ranks_per_node) / machine.gpus_per_node;
  if (layout.cores_beside_gpus == 0) return gpus;
  const double cores = layout.ranks_per_node + layout.cores_beside_gpus;
  return std::max(gpus, cores / machine.cores_per_node);
}

/// Returns the watts of all ranks; 0 if they are unknown. A GPU includes its host thread's core.
double watts_of(const Machine& machine, const Layout& layout) {
  const double core = machine.core.watts;
  if (!(core > 0)) return 0;
  if (!layout.on_gpu) return core * layout.ranks();
  if (!machine.gpu || !(machine.gpu->watts > 0)) return 0;
  return (machine.gpu->watts + core) * layout.ranks() +
         core * layout.nodes * layout.cores_beside_gpus;
}

/// Returns bytes in 10^9, with the safety factor of memory estimates.
double safe_gb(std::int64_t bytes) {
  constexpr double giga = 1e9;
  return memory_safety_factor * static_cast<double>(bytes) / giga;
}

/// Decides whether arrays move to host memory, and whether the layout has too little memory.
void fit_memory(const Machine& machine, const LayoutWork& work, LayoutEstimate& one) {
  one.refused = work.impossible;
  if (!one.refused.empty()) return;
  const auto& layout = one.layout;
  std::int64_t host_bytes = work.host_bytes;
  if (layout.on_gpu && machine.gpu) {
    const double there = machine.gpu_memory_gb(layout.ranks_per_node);
    one.moves_arrays = safe_gb(work.needed_device_bytes()) > there;
    const std::int64_t moved = one.moves_arrays ? work.movable_device_bytes : 0;
    const double needs = safe_gb(work.needed_device_bytes() - moved);
    if (needs > there) {
      one.refused = fmt::format("takes {:.3g} GB of a GPU's {:.3g}", needs, there);
      return;
    }
    host_bytes += layout.ranks_per_node * moved;
  }
  const double node_needs = safe_gb(host_bytes);
  if (node_needs > machine.host_memory_gb) {
    one.refused =
        fmt::format("takes {:.3g} GB of a node's {:.3g}", node_needs, machine.host_memory_gb);
  }
}

LayoutEstimate estimate_layout(const Machine& machine, const Layout& layout, LayoutWork work,
                               const PlanGoal& goal) {
  LayoutEstimate one;
  one.layout = layout;
  fit_memory(machine, work, one);
  if (layout.on_gpu) work.time.steps /= machine.mean_gpu_speed(layout.ranks_per_node);
  one.deviation = std::hypot(work.spread, layout.nodes > 1 ? spread_beyond_node : 0);
  one.seconds = work.time.seconds();
  const auto interval = ninety_percent_interval(one.seconds, one.deviation);
  one.low_seconds = interval.low;
  one.high_seconds = interval.high;
  const double occupied = one.seconds - work.time.transfer;
  one.jobs = static_cast<int>(
      std::min(1e6, std::max(1.0, std::ceil(occupied / (hour * machine.most_hours)))));
  const double price = machine.node_hour() * layout.nodes * share_of_node(machine, layout) / hour;
  one.cost = price * occupied;
  one.high_cost = price * std::max(occupied, one.high_seconds - work.time.transfer);
  if (const double watts = watts_of(machine, layout); watts > 0) {
    one.kilowatt_hours = watts * occupied / joules_per_kilowatt_hour;
  }
  if (goal.deadline_seconds) {
    one.chance_in_time =
        normal_distribution(std::log(*goal.deadline_seconds / one.seconds) / one.deviation);
  }
  one.work = std::move(work);
  return one;
}

/// Sets speed-up and efficiency relative to the first feasible layout of each group.
void compare(std::vector<LayoutEstimate>& all) {
  std::map<Group, const LayoutEstimate*> firsts;
  for (auto& one : all) {
    if (!one.is_feasible()) continue;
    const auto& first = *firsts.try_emplace(group_of(one), &one).first->second;
    one.speed_up =
        (first.seconds - first.work.time.transfer) / (one.seconds - one.work.time.transfer);
    one.efficiency = one.speed_up * first.layout.ranks() / static_cast<double>(one.layout.ranks());
  }
}

class Chooser {
 public:
  Chooser(std::span<const MachineOffer> offers, const PlanGoal& goal)
      : offers_(offers), goal_(goal) {
    choice_.by_cost =
        goal.objective == Objective::cost ||
        (goal.objective == Objective::efficiency && goal.deadline_seconds.has_value());
  }

  Choice choose() {
    estimate_all();
    const auto open = select([](const LayoutEstimate&) { return true; });
    if (open.empty()) {
      choice_.reason = "no layout can do it: " + (choice_.all.empty() ? std::string("there is none")
                                                                      : choice_.all.back().refused);
      return std::move(choice_);
    }
    const auto fit = select([&](const auto& one) { return is_in_time(one) && is_in_budget(one); });
    if (fit.empty()) {
      choose_nearest(open);
    } else {
      choice_.best = find_best(fit);
      choice_.reason = describe_reason();
    }
    find_alternatives(open, fit);
    return std::move(choice_);
  }

 private:
  void estimate_all() {
    for (std::size_t machine = 0; machine < offers_.size(); ++machine) {
      const auto& offer = offers_[machine];
      for (const auto& layout : offer.layouts) {
        choice_.all.push_back(
            estimate_layout(offer.machine, layout, offer.work_of_layout(layout), goal_));
        choice_.all.back().machine = machine;
      }
    }
    compare(choice_.all);
  }

  [[nodiscard]] const LayoutEstimate& at(std::size_t k) const { return choice_.all[k]; }
  [[nodiscard]] const LayoutEstimate& best() const { return choice_.all[choice_.best.value()]; }
  [[nodiscard]] bool is_in_time(const LayoutEstimate& one) const {
    return one.chance_in_time >= required_probability;
  }
  [[nodiscard]] bool is_in_budget(const LayoutEstimate& one) const {
    return !goal_.budget || one.cost <= *goal_.budget;
  }
  /// Returns the feasible layouts with the condition.
  template <class Condition>
  [[nodiscard]] Indices select(const Condition& condition) const {
    Indices found;
    for (std::size_t k = 0; k < choice_.all.size(); ++k) {
      if (at(k).is_feasible() && condition(at(k))) found.push_back(k);
    }
    return found;
  }

  [[nodiscard]] std::size_t find_cheapest(const Indices& of) const {
    return *std::ranges::min_element(
        of, {}, [&](std::size_t k) { return std::pair(at(k).cost, at(k).seconds); });
  }
  /// Returns the cheapest of the layouts that end soonest within the tolerance of an estimate.
  [[nodiscard]] std::size_t find_soonest(const Indices& of) const {
    double first = std::numeric_limits<double>::max();
    for (const auto k : of) first = std::min(first, at(k).seconds);
    Indices as_soon;
    for (const auto k : of) {
      if (at(k).seconds <= (1 + end_tolerance) * first) as_soon.push_back(k);
    }
    return find_cheapest(as_soon);
  }
  /// Returns the best of layouts that meet the limits.
  [[nodiscard]] std::size_t find_best(const Indices& fit) const {
    if (choice_.by_cost) return find_cheapest(fit);
    const bool needs_efficiency =
        goal_.objective == Objective::efficiency && !goal_.deadline_seconds && !goal_.budget;
    Indices efficient;
    for (const auto k : fit) {
      if (!needs_efficiency || at(k).efficiency >= least_efficiency) efficient.push_back(k);
    }
    return find_soonest(efficient.empty() ? fit : efficient);
  }
  /// Returns the layout nearest to the limits, of layouts that miss one: of those within the
  /// budget the one with the best chance, else the cheapest.
  [[nodiscard]] std::size_t find_nearest(const Indices& of) const {
    Indices affordable;
    std::ranges::copy_if(of, std::back_inserter(affordable),
                         [&](std::size_t k) { return is_in_budget(at(k)); });
    if (affordable.empty()) return find_cheapest(of);
    return *std::ranges::min_element(affordable, {}, [&](std::size_t k) {
      return std::pair(-at(k).chance_in_time, at(k).seconds);
    });
  }

  void choose_nearest(const Indices& open) {
    choice_.best = find_nearest(open);
    choice_.meets_budget = is_in_budget(best());
    choice_.meets_deadline = is_in_time(best());
    choice_.reason =
        choice_.meets_budget
            ? fmt::format(
                  "nothing {}meets the deadline with {:.0f} %; {} has the best chance, {:.0f} %",
                  goal_.budget ? "within the budget " : "", 100 * required_probability,
                  name(best()), 100 * best().chance_in_time)
            : fmt::format("nothing is within the budget; {} costs least", name(best()));
  }

  /// Returns the probability that the choice is better than another layout by the goal.
  [[nodiscard]] double probability_of_choice(const LayoutEstimate& other) const {
    const auto& own = best();
    const bool by_cost = choice_.by_cost && own.cost != other.cost;
    if (by_cost && (own.cost <= 0 || other.cost <= 0)) return own.cost < other.cost ? 1 : 0;
    const double ratio = by_cost ? other.cost / own.cost : other.seconds / own.seconds;
    const double correlation = group_of(own) == group_of(other) ? correlation_within_machine : 0;
    const double variance = own.deviation * own.deviation + other.deviation * other.deviation -
                            2 * correlation * own.deviation * other.deviation;
    return normal_distribution(std::log(ratio) /
                               std::sqrt(std::max(variance, std::numeric_limits<double>::min())));
  }

  void find_alternatives(const Indices& open, const Indices& fit) {
    std::map<Group, Indices> groups, fit_groups;
    for (const auto k : open) groups[group_of(at(k))].push_back(k);
    for (const auto k : fit) fit_groups[group_of(at(k))].push_back(k);
    auto& alternatives = choice_.alternatives;
    for (const auto& [group, members] : groups) {
      if (group == group_of(best())) continue;
      const auto found = fit_groups.find(group);
      if (found == fit_groups.end()) {
        alternatives.push_back({find_nearest(members), false, {}});
        continue;
      }
      const auto k = find_best(found->second);
      const double probability = probability_of_choice(at(k));
      alternatives.push_back({k, true, probability});
      choice_.confidence = std::min(choice_.confidence.value_or(1), probability);
    }
    std::ranges::stable_sort(alternatives, {}, [&](const Alternative& one) {
      const auto& layout = at(one.index);
      return std::tuple(!one.meets_goal, choice_.by_cost ? layout.cost : 0, layout.seconds);
    });
    const auto add = [&](std::size_t k) {
      const bool is_known =
          k == *choice_.best ||
          std::ranges::any_of(alternatives, [&](const auto& one) { return one.index == k; });
      if (!is_known) alternatives.push_back({k, std::ranges::find(fit, k) != fit.end(), {}});
    };
    add(find_soonest(open));
    add(find_cheapest(open));
  }

  [[nodiscard]] std::string name(const LayoutEstimate& one) const {
    return offers_.size() == 1 ? describe(one.layout)
                               : describe(one.layout, offers_[one.machine].machine.name);
  }

  [[nodiscard]] std::string describe_reason() const {
    const auto& chosen = best();
    std::string text = name(chosen);
    if (choice_.by_cost) {
      text += " costs least";
    } else if (goal_.objective == Objective::efficiency && !goal_.budget) {
      text += fmt::format(" ends soonest with an efficiency of at least {:.0f} %",
                          100 * least_efficiency);
    } else {
      text += " ends soonest";
    }
    if (goal_.deadline_seconds) {
      text +=
          fmt::format(" of what meets the deadline (chance {:.0f} %)", 100 * chosen.chance_in_time);
    }
    if (goal_.budget) text += " within the budget";
    const auto largest = chosen.work.time.largest();
    text += fmt::format("; most of the time goes to {}", largest.description);
    const bool is_steps =
        largest.seconds == chosen.work.time.steps && !chosen.work.bottleneck.empty();
    return is_steps ? text + fmt::format(", of these to {}", chosen.work.bottleneck) : text;
  }

  std::span<const MachineOffer> offers_;
  const PlanGoal& goal_;
  Choice choice_;
};

}  // namespace

const std::vector<std::string>& objective_names() {
  static const std::vector<std::string> names{"efficiency", "time", "cost"};
  return names;
}

bool depends_on_cost(const PlanGoal& goal) {
  return goal.budget || goal.objective == Objective::cost ||
         (goal.objective == Objective::efficiency && goal.deadline_seconds);
}

Choice choose(std::span<const MachineOffer> offers, const PlanGoal& goal) {
  return Chooser(offers, goal).choose();
}

Choice choose(const Machine& machine, const std::vector<Layout>& layouts,
              const std::function<LayoutWork(const Layout&)>& work_of_layout,
              const PlanGoal& goal) {
  const MachineOffer offer{machine, layouts, work_of_layout};
  return choose(std::span(&offer, 1), goal);
}

}  // namespace nfold::estimate
