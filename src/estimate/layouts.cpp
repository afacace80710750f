// Comparison of layouts by time and cost.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/text.hpp"
#include "estimate/interval.hpp"

namespace nfold::estimate {
namespace {

constexpr double hour = 3600;
constexpr double required_probability = 0.95;  // required probability of meeting a deadline
constexpr double end_tolerance = 0.01;         // relative tolerance of the soonest end
constexpr double spread_beyond_node = 0.2;
constexpr double memory_safety_factor = 1.05;  // safety factor of memory estimates

/// Returns bytes in 10^9, with the safety factor.
double safe_gb(std::int64_t bytes) {
  constexpr double giga = 1e9;
  return memory_safety_factor * static_cast<double>(bytes) / giga;
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

class Chooser {
 public:
  Chooser(const Machine& machine, const PlanGoal& goal) : machine_(machine), goal_(goal) {}

  LayoutEstimate estimate(const Layout& layout, LayoutWork work) const {
    LayoutEstimate one;
    one.layout = layout;
    double variance = work.spread * work.spread;
    if (layout.nodes > 1) variance += spread_beyond_node * spread_beyond_node;
    const double deviation = std::sqrt(variance);
    one.seconds = work.time.seconds();
    const auto interval = ninety_percent_interval(one.seconds, deviation);
    one.low_seconds = interval.low;
    one.high_seconds = interval.high;
    one.jobs = static_cast<int>(
        std::min(1e6, std::max(1.0, std::ceil(one.seconds / (hour * machine_.most_hours)))));
    const double rate = layout.on_gpu ? machine_.gpu_hour : machine_.core_hour;
    one.cost = rate * layout.ranks() * one.seconds / hour;
    one.high_cost = rate * layout.ranks() * one.high_seconds / hour;
    if (goal_.deadline_seconds) {
      one.chance_in_time =
          normal_distribution(std::log(*goal_.deadline_seconds / one.seconds) / deviation);
    }
    one.refused = find_exclusion(layout, work);
    one.work = std::move(work);
    return one;
  }

  Choice choose(std::vector<LayoutEstimate> all) const {
    Choice choice;
    choice.all = std::move(all);
    compare(choice.all);
    const auto open = find_feasible(choice.all, [](const LayoutEstimate&) { return true; });
    if (open.empty()) {
      choice.reason = "no layout of this machine can do it: " +
                      (choice.all.empty() ? std::string("it has none") : choice.all.back().refused);
      return choice;
    }
    const auto in_time = [&](const LayoutEstimate& one) {
      return one.chance_in_time >= required_probability;
    };
    const auto in_budget = [&](const LayoutEstimate& one) {
      return !goal_.budget || one.cost <= *goal_.budget;
    };
    auto fit =
        find_feasible(choice.all, [&](const auto& one) { return in_time(one) && in_budget(one); });
    if (fit.empty()) {
      choose_nearest(choice, open, in_budget);
      return choice;
    }
    choice.best = find_best(choice.all, fit);
    choice.reason = reason(choice.all[*choice.best]);
    return choice;
  }

 private:
  template <class Condition>
  static std::vector<std::size_t> find_feasible(const std::vector<LayoutEstimate>& all,
                                                const Condition& condition) {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].is_feasible() && condition(all[k])) found.push_back(k);
    }
    return found;
  }

  [[nodiscard]] std::string find_exclusion(const Layout& layout, const LayoutWork& work) const {
    if (!work.impossible.empty()) return work.impossible;
    const double host = machine_.host_memory_gb;
    std::int64_t host_bytes = work.host_bytes;
    if (moves_arrays(machine_, layout, work)) {
      const double needs = safe_gb(work.needed_device_bytes() - work.movable_device_bytes);
      if (needs > machine_.gpu->memory_gb) {
        return fmt::format("takes {:.3g} GB of a GPU's {:.3g}", needs, machine_.gpu->memory_gb);
      }
      host_bytes += layout.ranks_per_node * work.movable_device_bytes;
    }
    const double node_needs = safe_gb(host_bytes);
    if (node_needs > host) {
      return fmt::format("takes {:.3g} GB of a node's {:.3g}", node_needs, host);
    }
    return {};
  }

  static void compare(std::vector<LayoutEstimate>& all) {
    const LayoutEstimate* first = nullptr;
    for (auto& one : all) {
      if (!one.is_feasible()) continue;
      if (first == nullptr) first = &one;
      one.speed_up = first->seconds / one.seconds;
      one.efficiency =
          one.speed_up * first->layout.ranks() / static_cast<double>(one.layout.ranks());
    }
  }

  [[nodiscard]] std::size_t find_best(const std::vector<LayoutEstimate>& all,
                                      const std::vector<std::size_t>& fit) const {
    const auto cheapest = [&](const std::vector<std::size_t>& of) {
      return *std::ranges::min_element(
          of, {}, [&](std::size_t k) { return std::pair(all[k].cost, all[k].seconds); });
    };
    // Cheapest of the layouts that end soonest within the tolerance of an estimate.
    const auto soonest = [&](const std::vector<std::size_t>& of) {
      double first = std::numeric_limits<double>::max();
      for (const auto k : of) first = std::min(first, all[k].seconds);
      std::vector<std::size_t> as_soon;
      for (const auto k : of) {
        if (all[k].seconds <= (1 + end_tolerance) * first) as_soon.push_back(k);
      }
      return cheapest(as_soon);
    };
    const auto& objective = goal_.objective;
    if (objective == Objective::cost) return cheapest(fit);
    if (objective == Objective::time) return soonest(fit);
    if (goal_.deadline_seconds) return cheapest(fit);
    if (goal_.budget) return soonest(fit);
    std::vector<std::size_t> efficient;
    for (const auto k : fit) {
      if (all[k].efficiency >= least_efficiency) efficient.push_back(k);
    }
    return soonest(efficient.empty() ? fit : efficient);
  }

  template <class InBudget>
  void choose_nearest(Choice& choice, const std::vector<std::size_t>& open,
                      const InBudget& in_budget) const {
    auto affordable = find_feasible(choice.all, in_budget);
    choice.meets_budget = !affordable.empty();
    const auto& from = affordable.empty() ? open : affordable;
    const auto value = [&](std::size_t k) {
      const auto& one = choice.all[k];
      if (!choice.meets_budget) return std::pair(one.cost, one.seconds);
      return std::pair(-one.chance_in_time, one.seconds);
    };
    choice.best = *std::ranges::min_element(from, {}, value);
    const auto& best = choice.all[*choice.best];
    choice.meets_deadline = best.chance_in_time >= required_probability;
    choice.reason =
        choice.meets_budget
            ? fmt::format(
                  "nothing {}meets the deadline with {:.0f} %; {} has the best chance, {:.0f} %",
                  goal_.budget ? "within the budget " : "", 100 * required_probability,
                  describe(best.layout), 100 * best.chance_in_time)
            : fmt::format("nothing is within the budget; {} costs least", describe(best.layout));
  }

  [[nodiscard]] std::string reason(const LayoutEstimate& best) const {
    const auto words = describe(best.layout);
    const bool by_efficiency = goal_.objective == Objective::efficiency;
    std::string text;
    if (goal_.objective == Objective::cost || (by_efficiency && goal_.deadline_seconds)) {
      text = fmt::format("{} costs least", words);
    } else if (by_efficiency && !goal_.budget) {
      text = fmt::format("{} ends soonest with an efficiency of at least {:.0f} %", words,
                         100 * least_efficiency);
    } else {
      text = fmt::format("{} ends soonest", words);
    }
    if (goal_.deadline_seconds) {
      text +=
          fmt::format(" of what meets the deadline (chance {:.0f} %)", 100 * best.chance_in_time);
    }
    if (goal_.budget) text += " within the budget";
    const auto largest = best.work.time.largest();
    text += fmt::format("; most of the time goes to {}", largest.description);
    const bool is_steps = largest.seconds == best.work.time.steps && !best.work.bottleneck.empty();
    return is_steps ? text + fmt::format(", of these to {}", best.work.bottleneck) : text;
  }

  const Machine& machine_;
  const PlanGoal& goal_;
};

}  // namespace

Backend to_backend(const Layout& layout) { return layout.on_gpu ? Backend::gpu : Backend::cpu; }

JobRanks job_of(const Layout& layout) {
  JobRanks job;
  (layout.on_gpu ? job.gpu : job.cpu) = layout.ranks();
  if (layout.on_gpu) job.cpu = layout.nodes * layout.cores_beside_gpus;
  job.cpu_threads = job.cpu;
  return job;
}

WorkSeconds work_seconds(const Machine& machine, const Layout& layout, const TargetWork& work,
                         int ranks) {
  return work_seconds(work, machine.speeds, job_of(layout), to_backend(layout), ranks);
}

std::string describe(const Layout& layout) {
  const auto ranks = core::pluralise(layout.ranks_per_node, layout.on_gpu ? "GPU" : "core");
  return layout.nodes == 1 ? ranks : fmt::format("{} nodes of {}", layout.nodes, ranks);
}

std::vector<int> candidate_counts(int most) {
  std::vector<int> numbers;
  for (int number = 1; number < most; number = std::max(number + 1, number * 9 / 8)) {
    numbers.push_back(number);
  }
  numbers.push_back(most);
  return numbers;
}

std::vector<Layout> list_layouts(const Machine& machine) {
  std::vector<Layout> layouts;
  const bool on_gpu = machine.has_gpus();
  const int most = on_gpu ? machine.gpus_per_node : machine.cores_per_node;
  for (const int ranks : candidate_counts(most)) layouts.push_back({1, ranks, on_gpu});
  for (const int nodes : candidate_counts(machine.most_nodes)) {
    if (nodes > 1) layouts.push_back({nodes, most, on_gpu});
  }
  return layouts;
}

const std::vector<std::string>& objective_names() {
  static const std::vector<std::string> names{"efficiency", "time", "cost"};
  return names;
}

bool moves_arrays(const Machine& machine, const Layout& layout, const LayoutWork& work) {
  return layout.on_gpu && machine.gpu &&
         safe_gb(work.needed_device_bytes()) > machine.gpu->memory_gb;
}

Choice choose(const Machine& machine, const std::vector<Layout>& layouts,
              const std::function<LayoutWork(const Layout&)>& work_of_layout,
              const PlanGoal& goal) {
  const Chooser chooser(machine, goal);
  std::vector<LayoutEstimate> all;
  all.reserve(layouts.size());
  for (const auto& layout : layouts)
    all.push_back(chooser.estimate(layout, work_of_layout(layout)));
  return chooser.choose(std::move(all));
}

std::string format_time_span(double seconds) {
  constexpr double minute = 60, day = 24 * hour, year = 365.25 * day;
  if (seconds < 2 * minute) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.3g} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{:.3g} h", seconds / hour);
  if (seconds < 2 * year) return fmt::format("{:.3g} days", seconds / day);
  return fmt::format("{:.3g} years", seconds / year);
}

}  // namespace nfold::estimate
