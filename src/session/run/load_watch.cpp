// Loads gathered from all ranks, and the decision to seek a repartition.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/load_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/text.hpp"
#include "device/device_memory.hpp"
#include "session/run/busy_time.hpp"
#include "session/run/residue_capacity.hpp"

namespace nfold::run {
namespace {

constexpr std::int64_t first_interval = 100;           // steps, doubled while no repartition is due
constexpr std::int64_t load_lifetime_steps = 100'000;  // steps for which a load is expected to last
constexpr double ghost_growth_limit = 1.25;
constexpr std::size_t assessments_fitted = 16;
/// Weight of the newest assessment in the mean of those since the last move.
constexpr double weight_of_newest = 0.5;

domain::RebalanceSettings rules_of(const input::BalanceSettings& balance) {
  domain::RebalanceSettings rules;
  rules.hot = balance.hot;
  rules.cold = balance.cold;
  rules.threshold = balance.threshold;
  rules.patience = static_cast<int>(balance.patience);
  rules.margin = balance.margin;
  if (device::computes_on_gpu()) rules.ghost_work = domain::ghost_cost_on_gpu;
  return rules;
}

}  // namespace

LoadWatch::LoadWatch(const comm::Communicator& communicator, const input::Settings& settings,
                     std::vector<double> speed, std::shared_ptr<device::JobDevices> devices)
    : communicator_(communicator),
      settings_(settings),
      speed_(std::move(speed)),
      devices_(std::move(devices)),
      rules_(rules_of(settings.partition.balance)),
      prior_{.ghost = rules_.ghost_work},
      is_timed_(settings.partition.balance.by == input::BalanceBy::time),
      every_(settings.partition.rebalance_every_steps),
      interval_(std::min(first_interval, every_)) {
  if (communicator.size() == 1 || settings.partition.method == input::PartitionMethod::random) {
    every_ = 0;
  }
}

void LoadWatch::begin(const engine::Engine& engine) {
  begins_ = false;
  start_interval(engine);
}

void LoadWatch::start_interval(const engine::Engine& engine) {
  before_ = busy_time(engine);
  next_ = engine.step() + interval_;
}

std::optional<Assessment> LoadWatch::assess(const engine::Engine& engine) {
  const Report mine = measure_rank(engine);
  const auto ranks = communicator_.all_gather(std::span<const Report>(&mine, 1));
  // A GPU times blocks of several steps only; there may have been none.
  const bool has_all_times =
      std::ranges::all_of(ranks, [](const auto& r) { return r.timed_steps > 0; });
  const auto step = engine.step();
  next_ = step + interval_;
  if (!has_all_times && is_timed_) {
    decision_ = {domain::RebalanceOutcome::not_timed, 0,
                 fmt::format("step {}: loads are unknown: a rank has timed no steps yet", step)};
    return std::nullopt;
  }
  take(ranks);
  before_ = busy_time(engine);
  memory_ = domain::assess_loads(rules_, loads_, step_seconds_, memory_);
  Assessment assessment{step, 0, {}, false};
  for (const auto& rank : ranks) {
    assessment.step_seconds = std::max(assessment.step_seconds, rank.step_seconds);
    assessment.ranks.push_back({rank.busy_seconds, rank.residues, rank.ghosts});
  }
  return assessment;
}

bool LoadWatch::should_repartition(std::int64_t step, double move_seconds) {
  if (is_repartition_worthwhile(step, move_seconds)) return true;
  decision_ = decide(step, move_seconds);
  if (!domain::is_alert(rules_, memory_)) {
    interval_ = std::min(2 * interval_, every_);
    next_ = step + interval_;
  }
  return false;
}

void LoadWatch::record_attempt(bool is_taken) {
  memory_ = domain::tried(rules_, memory_, is_taken);
}

void LoadWatch::forget() {
  loads_.clear();
  ghosts_before_ = -1;
  begins_ = true;
  interval_ = std::min(first_interval, every_);
}

std::int64_t LoadWatch::next_check(std::int64_t step) const {
  if (is_idle()) return std::numeric_limits<std::int64_t>::max();
  return begins_ || is_due(step) ? next_short_check(step) : next_;
}

std::int64_t LoadWatch::next_short_check(std::int64_t step) const {
  return step + std::min(first_interval, every_);
}

bool LoadWatch::is_settled() const {
  if (is_idle()) return true;
  return !loads_.empty() && (memory_.rest > 0 || !domain::is_alert(rules_, memory_));
}

std::optional<domain::FittedCosts> LoadWatch::fitted_costs() const {
  std::vector<domain::CostSample> samples;
  for (const auto& one : samples_) samples.insert(samples.end(), one.begin(), one.end());
  return domain::fit_costs(samples, communicator_.size(), prior_);
}

std::vector<std::int64_t> LoadWatch::residue_capacity() const {
  std::vector<std::int64_t> most;
  most.reserve(ranks_.size());
  for (const auto& rank : ranks_) most.push_back(rank.residue_capacity);
  return most;
}

LoadWatch::Report LoadWatch::measure_rank(const engine::Engine& engine) const {
  const auto time = busy_time(engine);
  const auto statistics = engine.statistics();
  Report report;
  report.timed_steps = time.timed_steps - before_.timed_steps;
  if (report.timed_steps > 0) {
    report.busy_seconds =
        (time.busy_seconds - before_.busy_seconds) / static_cast<double>(report.timed_steps);
  }
  const auto steps = std::max<std::int64_t>(1, time.steps - before_.steps);
  report.step_seconds = (time.seconds - before_.seconds) / static_cast<double>(steps);
  report.residues = statistics.owned;
  report.ghosts = statistics.ghosts;
  report.counted_work = static_cast<double>(statistics.pair_entries) +
                        prior_.residue * static_cast<double>(statistics.owned) +
                        prior_.ghost * static_cast<double>(statistics.ghosts);
  report.charged_pairs = statistics.charged_pair_entries;
  report.pairs = statistics.pair_entries - report.charged_pairs;
  report.term_work = statistics.term_work;
  if (!speed_.empty()) {
    const double sum = std::accumulate(speed_.begin(), speed_.end(), 0.0);
    report.counted_work *= sum / (static_cast<double>(speed_.size()) *
                                  speed_[static_cast<std::size_t>(communicator_.rank())]);
  }
  report.residue_capacity = run::residue_capacity(statistics, devices_.get());
  return report;
}

/// Updates the smoothed loads.
void LoadWatch::take(const std::vector<Report>& ranks) {
  ranks_ = ranks;
  const bool is_first = loads_.empty();
  const double newest = is_first ? 1 : weight_of_newest;
  loads_.resize(ranks.size());
  double step_seconds = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const double busy = is_timed_ ? ranks[rank].busy_seconds : ranks[rank].counted_work;
    auto& load = loads_[rank];
    load.busy_seconds += newest * (busy - load.busy_seconds);
    step_seconds = std::max(step_seconds, is_timed_ ? ranks[rank].step_seconds : busy);
  }
  keep_samples();
  std::vector<std::int64_t> residues;
  residues.reserve(ranks.size());
  for (const auto& rank : ranks) residues.push_back(rank.residues);
  overfull_rank_ = domain::overfull_rank(residues, residue_capacity());
  step_seconds_ = is_first ? step_seconds : step_seconds_ + newest * (step_seconds - step_seconds_);
}

/// Keeps samples for the cost fit, unless a rank with residues has counted no pairs.
void LoadWatch::keep_samples() {
  if (!is_timed_) return;
  std::vector<domain::CostSample> samples;
  for (const auto& one : ranks_) {
    if (one.residues > 0 && one.pairs == 0) return;
    samples.push_back({static_cast<int>(samples.size()), one.busy_seconds,
                       static_cast<double>(one.pairs), static_cast<double>(one.charged_pairs),
                       static_cast<double>(one.residues), one.term_work,
                       static_cast<double>(one.ghosts)});
  }
  samples_.push_back(std::move(samples));
  if (samples_.size() > assessments_fitted) samples_.pop_front();
}

std::int64_t LoadWatch::steps_ahead(std::int64_t step) const {
  return std::clamp<std::int64_t>(settings_.dynamics.steps - step, 0,
                                  std::max(every_, load_lifetime_steps));
}

/// Difference between the busiest rank and the mean [s]: upper bound on what any partition gains in
/// a step.
double LoadWatch::largest_gain() const {
  double most = 0, mean = 0;
  for (const auto& load : loads_) {
    most = std::max(most, load.busy_seconds);
    mean += load.busy_seconds / static_cast<double>(loads_.size());
  }
  return most - mean;
}

bool LoadWatch::is_repartition_worthwhile(std::int64_t step, double move_seconds) {
  std::int64_t ghosts = 0;
  for (const auto& rank : ranks_) ghosts += rank.ghosts;
  if (ghosts_before_ < 0) ghosts_before_ = ghosts;
  if (overfull_rank_ >= 0 && step >= next_for_memory_) {
    memory_wait_ = std::clamp<std::int64_t>(2 * memory_wait_, interval_, 64 * every_);
    next_for_memory_ = step + memory_wait_;
    return true;
  }
  if (overfull_rank_ < 0) memory_wait_ = 0;
  if (static_cast<double>(ghosts) > ghost_growth_limit * static_cast<double>(ghosts_before_)) {
    ghosts_before_ = -1;
    return true;
  }
  const double gain = largest_gain() * static_cast<double>(steps_ahead(step));
  return memory_.needs_repartition && (!is_timed_ || gain > rules_.margin * move_seconds);
}

/// Returns the decision against a repartition.
BalanceDecision LoadWatch::decide(std::int64_t step, double move_seconds) const {
  auto outcome = memory_.outcome;
  if (outcome == domain::RebalanceOutcome::balanced) return {};
  if (memory_.needs_repartition) outcome = domain::RebalanceOutcome::gain_below_cost;
  const double gain = largest_gain();
  const bool is_gain = outcome == domain::RebalanceOutcome::gain_below_cost;
  return {outcome, is_gain && step_seconds_ > 0 ? gain / step_seconds_ : 0,
          fmt::format("step {}: residues stay where they are, {}; {}", step, describe_load(),
                      describe_reason(outcome, step, move_seconds))};
}

std::string LoadWatch::describe_load() const {
  constexpr double milliseconds = 1e3;
  const auto busiest = std::ranges::max_element(loads_, {}, &domain::RankLoad::busy_seconds);
  const auto rank = busiest - loads_.begin();
  const auto balance = fmt::format("balance {:.3f}", domain::load_balance(loads_));
  if (!is_timed_) return fmt::format("{}, rank {} has most work", balance, rank);
  return fmt::format("{}, rank {} is busiest, for {:.3g} of a step's {:.3g} ms", balance, rank,
                     milliseconds * busiest->busy_seconds, milliseconds * step_seconds_);
}

/// Returns why an imbalance leads to no repartition, with the numbers that it was compared with.
std::string LoadWatch::describe_reason(domain::RebalanceOutcome outcome, std::int64_t step,
                                       double move_seconds) const {
  using enum domain::RebalanceOutcome;
  constexpr double percent = 100;
  switch (outcome) {
    case below_threshold:
      return fmt::format(
          "the busiest is less than {:.0f} % over the mean, and busy for {:.0f} % of a step in {} "
          "of "
          "{} assessments in a row",
          percent * rules_.threshold, percent * rules_.hot, memory_.imbalanced_in_a_row,
          domain::slow_patience(rules_));
    case waiting:
      return fmt::format("uneven for {} of {} assessments in a row", memory_.uneven_in_a_row,
                         rules_.patience);
    case bound_by_communication:
      return fmt::format(
          "no rank is busy for {:.0f} % of a step: communication bounds it, and less work on the "
          "busiest would not help",
          percent * rules_.cold);
    case resting:
      return fmt::format("the last attempt did not help, {} until the next",
                         core::pluralise(memory_.rest + 1, "assessment"));
    default:
      return fmt::format(
          "the most to be gained, {:.3g} s in {} steps, is less than {} times the "
          "{:.3g} s of a move",
          largest_gain() * static_cast<double>(steps_ahead(step)), steps_ahead(step), rules_.margin,
          move_seconds);
  }
}

}  // namespace nfold::run
