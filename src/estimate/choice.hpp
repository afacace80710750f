// Choice of a machine and a layout by estimated time and cost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimate/layouts.hpp"

namespace nfold::estimate {

enum class Objective { efficiency, time, cost };
/// Returns the names in the order of the enum.
[[nodiscard]] const std::vector<std::string>& objective_names();

struct PlanGoal {
  Objective objective = Objective::efficiency;
  std::optional<double> deadline_seconds, budget;
};

/// Layout with its estimates.
struct LayoutEstimate {
  Layout layout;
  std::size_t machine = 0;  ///< index in the machines of the question
  LayoutWork work;
  double seconds = 0, low_seconds = 0, high_seconds = 0;  ///< median and 90 % interval
  double deviation = 0;  ///< standard deviation of ln(real / estimated) of `seconds`
  /// Relative to the smallest feasible layout of the machine on the same kind of devices.
  double speed_up = 1, efficiency = 1;
  double cost = 0, high_cost = 0;  ///< at the median and at the upper end, without the transfer
  /// Energy by the watts of data sheets, an upper estimate; none if an entry has no watts.
  std::optional<double> kilowatt_hours;
  double chance_in_time = 1;  ///< probability of meeting the deadline
  int jobs = 1;               ///< number of jobs in a row, by the machine's limit of hours
  std::string refused;        ///< reason for exclusion; empty: feasible
  /// True if a GPU holds the job only with movable arrays in host memory.
  bool moves_arrays = false;
  [[nodiscard]] bool is_feasible() const { return refused.empty(); }
};

/// Layout that could be taken instead of the choice.
struct Alternative {
  std::size_t index = 0;  ///< in Choice::all
  bool meets_goal = true;
  /// Probability that the choice ends sooner, or costs less, by the goal; none if the alternative
  /// does not meet the goal, or is the soonest or cheapest layout beside the choice.
  std::optional<double> choice_is_better;
};

struct Choice {
  std::vector<LayoutEstimate> all;  ///< in the order of machines and layouts
  std::optional<std::size_t> best;  ///< index in `all`; none if no layout is feasible
  std::string reason;               ///< description of the choice
  bool meets_deadline = true, meets_budget = true;
  bool by_cost = false;  ///< true if the choice costs least, false if it ends soonest
  /// Best layout of each other machine and kind of devices, the best first; then the soonest and
  /// the cheapest layout, if they are others.
  std::vector<Alternative> alternatives;
  /// Probability that the choice is better than each alternative alone, the least of them; none
  /// without alternatives that meet the goal.
  std::optional<double> confidence;
};

/// Machine of a question with the layouts that are compared on it.
struct MachineOffer {
  const Machine& machine;
  std::vector<Layout> layouts;
  std::function<LayoutWork(const Layout&)> work_of_layout;
};

/// Required probability of meeting a deadline.
inline constexpr double required_probability = 0.95;
/// Smallest efficiency of a layout that the default objective accepts.
inline constexpr double least_efficiency = 0.7;

/// Chooses a layout; a pure function of its arguments. Default objective: with a deadline, the
/// cheapest layout that meets it with a probability of 95 %; with a budget, the fastest within it;
/// with neither, the fastest of at least least_efficiency. If no layout meets the limits, the
/// nearest one is chosen and `reason` states it. Prices of all machines are of one currency, or the
/// goal does not depend on cost.
[[nodiscard]] Choice choose(std::span<const MachineOffer> offers, const PlanGoal& goal);
[[nodiscard]] Choice choose(const Machine& machine, const std::vector<Layout>& layouts,
                            const std::function<LayoutWork(const Layout&)>& work_of_layout,
                            const PlanGoal& goal);

/// True if the choice by this goal compares costs.
[[nodiscard]] bool depends_on_cost(const PlanGoal& goal);

}  // namespace nfold::estimate
