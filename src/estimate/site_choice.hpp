// Choice between doing a job here, on another machine, or on both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "estimate/choice.hpp"
#include "estimate/interval.hpp"

namespace nfold::estimate {

/// Computer that a stage of a job occupies; between: data move, or a job waits in a queue.
enum class Site { here, there, between };
/// Returns "here", "there" or "between".
[[nodiscard]] const char* site_name(Site site);

/// Stage of a job.
struct Stage {
  std::string name;
  Site site = Site::here;
  double seconds = 0;
  double spread = 0;  ///< standard deviation of ln(real / estimated)
  double cost = 0;
};

/// Way to do a job: its stages, one after another.
struct JobOption {
  std::string name;
  std::vector<Stage> stages;
  std::string refused;  ///< reason for exclusion; empty: feasible
  [[nodiscard]] bool is_feasible() const { return refused.empty(); }
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double cost() const;
  /// Standard deviation of ln(real / estimated) of the whole; stages err independently.
  [[nodiscard]] double spread() const;
  [[nodiscard]] Interval interval() const;
};

/// Returns the probability that `one` ends before `other`. Equal stages, such as the same wait,
/// have the same error in both.
[[nodiscard]] double chance_sooner(const JobOption& one, const JobOption& other);
/// Returns the probability that a job ends within the limit [s].
[[nodiscard]] double chance_within(const JobOption& option, double limit_seconds);

struct SiteChoice {
  std::size_t best = 0;  ///< index of the option
  std::string reason;
  bool is_feasible = false;  ///< false: no option is, and `best` means nothing
};

/// Smallest probability of an earlier end, and smallest fraction of the time that it saves, that
/// justify a higher cost.
inline constexpr double convincing_chance = 0.8, convincing_gain = 0.05;

/// Chooses an option; a pure function of its arguments. With a deadline the cheapest that meets it
/// with a probability of 95 %; by the objective `cost` the cheapest, by `time` the one that ends
/// soonest; else the cheapest, unless a dearer one is sooner by convincing_chance and
/// convincing_gain. A budget excludes options. Of equal options the first is chosen.
[[nodiscard]] SiteChoice choose_site(std::span<const JobOption> options, const PlanGoal& goal);

/// Returns "97 %", "less than 1 %" or "more than 99 %".
[[nodiscard]] std::string format_chance(double chance);

/// Returns the fraction of a job's remaining steps at which staying and moving end at the same
/// time. fixed: part of each option that does not depend on the steps [s]; steps: all remaining
/// steps [s]. Infinity if moving never pays.
[[nodiscard]] double break_even_fraction(double fixed_here, double steps_here, double fixed_there,
                                         double steps_there);

}  // namespace nfold::estimate
