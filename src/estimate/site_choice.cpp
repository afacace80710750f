// Sums of stages, chances of their ends, and the choice between them.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/site_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace nfold::estimate {
namespace {

constexpr double least_spread = 1e-3;  // keeps quotients finite

/// Returns an option without the stages that `other` has too.
JobOption without_stages(JobOption option, const JobOption& other) {
  std::erase_if(option.stages, [&other](const Stage& stage) {
    return std::ranges::any_of(other.stages, [&stage](const Stage& same) {
      return same.name == stage.name && same.site == stage.site && same.seconds == stage.seconds;
    });
  });
  return option;
}

using Indices = std::vector<std::size_t>;

class Chooser {
 public:
  Chooser(std::span<const JobOption> options, const PlanGoal& goal)
      : options_(options), goal_(goal) {}

  SiteChoice choose() const {
    const auto open = select([](const JobOption& one) { return one.is_feasible(); });
    if (open.empty()) {
      return {0, options_.empty() ? "there is none" : options_.back().refused, false};
    }
    const auto fit = select([this](const JobOption& one) {
      return one.is_feasible() && is_in_budget(one) && is_in_time(one);
    });
    if (fit.empty()) return choose_nearest(open);
    if (goal_.deadline_seconds && goal_.objective != Objective::time) {
      return answer(cheapest(fit), fmt::format("costs least of what ends within {} with {:.0f} %",
                                               format_time_span(*goal_.deadline_seconds),
                                               100 * required_probability));
    }
    if (goal_.objective == Objective::cost) return answer(cheapest(fit), "costs least");
    if (goal_.objective == Objective::time) return answer(soonest(fit), "ends soonest");
    return choose_convincing(fit);
  }

 private:
  template <class Condition>
  [[nodiscard]] Indices select(const Condition& condition) const {
    Indices found;
    for (std::size_t k = 0; k < options_.size(); ++k) {
      if (condition(options_[k])) found.push_back(k);
    }
    return found;
  }
  [[nodiscard]] bool is_in_budget(const JobOption& one) const {
    return !goal_.budget || one.cost() <= *goal_.budget;
  }
  [[nodiscard]] bool is_in_time(const JobOption& one) const {
    return !goal_.deadline_seconds ||
           chance_within(one, *goal_.deadline_seconds) >= required_probability;
  }
  [[nodiscard]] std::size_t cheapest(const Indices& of) const {
    return *std::ranges::min_element(of, {}, [this](std::size_t k) {
      return std::pair(options_[k].cost(), options_[k].seconds());
    });
  }
  [[nodiscard]] std::size_t soonest(const Indices& of) const {
    return *std::ranges::min_element(of, {}, [this](std::size_t k) {
      return std::pair(options_[k].seconds(), options_[k].cost());
    });
  }
  [[nodiscard]] SiteChoice answer(std::size_t k, const std::string& reason) const {
    return {k, options_[k].name + " " + reason, true};
  }

  [[nodiscard]] SiteChoice choose_nearest(const Indices& open) const {
    const auto affordable =
        select([this](const JobOption& one) { return one.is_feasible() && is_in_budget(one); });
    if (affordable.empty()) {
      return answer(cheapest(open), "costs least; nothing is within the budget");
    }
    const auto best = *std::ranges::max_element(affordable, {}, [this](std::size_t k) {
      return chance_within(options_[k], *goal_.deadline_seconds);
    });
    return answer(best,
                  fmt::format("has the best chance of the deadline, {}; nothing has {}",
                              format_chance(chance_within(options_[best], *goal_.deadline_seconds)),
                              format_chance(required_probability)));
  }

  [[nodiscard]] bool is_convincing(const JobOption& dearer, const JobOption& cheaper) const {
    return dearer.seconds() <= (1 - convincing_gain) * cheaper.seconds() &&
           chance_sooner(dearer, cheaper) >= convincing_chance;
  }

  /// Starts from the cheapest option; each dearer one must convince.
  [[nodiscard]] SiteChoice choose_convincing(const Indices& fit) const {
    auto by_cost = fit;
    std::ranges::stable_sort(by_cost, {}, [this](std::size_t k) {
      return std::pair(options_[k].cost(), options_[k].seconds());
    });
    auto best = by_cost.front();
    std::string reason = fit.size() == 1 ? "is the only one that can do it" : "costs least";
    for (const auto k : by_cost) {
      if (!is_convincing(options_[k], options_[best])) continue;
      reason = fmt::format("ends sooner than {} with a chance of {}", options_[best].name,
                           format_chance(chance_sooner(options_[k], options_[best])));
      best = k;
    }
    const auto next = soonest(fit);
    if (best == by_cost.front() && next != best) {
      reason += fmt::format("; {} ends sooner with a chance of {} only", options_[next].name,
                            format_chance(chance_sooner(options_[next], options_[best])));
    }
    return answer(best, reason);
  }

  std::span<const JobOption> options_;
  const PlanGoal& goal_;
};

}  // namespace

const char* site_name(Site site) {
  constexpr std::array names{"here", "there", "between"};
  return names.at(static_cast<std::size_t>(site));
}

double JobOption::seconds() const {
  double sum = 0;
  for (const auto& stage : stages) sum += stage.seconds;
  return sum;
}

double JobOption::cost() const {
  double sum = 0;
  for (const auto& stage : stages) sum += stage.cost;
  return sum;
}

double JobOption::spread() const {
  double variance = 0;
  for (const auto& stage : stages) variance += std::pow(stage.spread * stage.seconds, 2);
  const double sum = seconds();
  return sum > 0 ? std::sqrt(variance) / sum : 0;
}

Interval JobOption::interval() const { return ninety_percent_interval(seconds(), spread()); }

double chance_sooner(const JobOption& one, const JobOption& other) {
  const auto own = without_stages(one, other), others = without_stages(other, one);
  if (!(own.seconds() > 0) || !(others.seconds() > 0)) {
    return own.seconds() == others.seconds() ? 0.5 : own.seconds() < others.seconds() ? 1 : 0;
  }
  const double deviation = std::hypot(own.spread(), others.spread(), least_spread);
  return normal_distribution(std::log(others.seconds() / own.seconds()) / deviation);
}

std::string format_chance(double chance) {
  constexpr double percent = 0.01;
  if (chance < percent) return "less than 1 %";
  if (chance > 1 - percent) return "more than 99 %";
  return fmt::format("{:.0f} %", chance / percent);
}

double chance_within(const JobOption& option, double limit_seconds) {
  const double deviation = std::max(option.spread(), least_spread);
  return normal_distribution(std::log(limit_seconds / option.seconds()) / deviation);
}

SiteChoice choose_site(std::span<const JobOption> options, const PlanGoal& goal) {
  return Chooser(options, goal).choose();
}

double break_even_fraction(double fixed_here, double steps_here, double fixed_there,
                           double steps_there) {
  const double gain = steps_here - steps_there;
  if (!(gain > 0)) return std::numeric_limits<double>::infinity();
  return std::max(0.0, (fixed_there - fixed_here) / gain);
}

}  // namespace nfold::estimate
