// Gathers what all ranks were busy with and weighs a new map against the present one.
// SPDX-License-Identifier: BSD-3-Clause

#include "run/repartition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "device/device_memory.hpp"
#include "domain/counted_work.hpp"
#include "run/busy_time.hpp"
#include "setup/system_setup.hpp"

namespace nfold::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t first_interval = 100;  // steps, doubled while nothing is to be done
constexpr std::int64_t steps_counted_on = 100'000;  // that a load is expected to last
constexpr double more_ghosts = 1.25;
constexpr double row_work = 20;        // of one residue beside its pairs, in pairs
constexpr double least_gain = 1.02;    // of the busiest rank's work, where no clock tells
constexpr double good_balance = 0.98;  // no better map is sought
constexpr int most_maps = 3;           // tried, each corrected by what the one before would give
constexpr double usable_memory = 0.9;  // of what is free

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

domain::RebalanceSettings rules_of(const config::BalanceSettings& balance) {
  domain::RebalanceSettings rules;
  rules.hot = balance.hot;
  rules.cold = balance.cold;
  rules.threshold = balance.threshold;
  rules.even = balance.even;
  rules.patience = static_cast<int>(balance.patience);
  rules.longest_rest = static_cast<int>(balance.longest_rest);
  rules.margin = balance.margin;
  rules.ghost_work = device::computes_on_gpu() ? domain::ghost_work_on_gpu : domain::ghost_work;
  return rules;
}

struct Row {
  std::int32_t id = 0, rank = 0;
  system::FixedPosition position{};
};

}  // namespace

Repartition::Repartition(const comm::Communicator& communicator, const config::Settings& settings,
                         const topology::Topology& topology, std::vector<double> speed,
                         std::shared_ptr<device::DevicesOfJob> devices)
    : communicator_(communicator),
      settings_(settings),
      topology_(topology),
      speed_(std::move(speed)),
      devices_(std::move(devices)),
      rules_(rules_of(settings.partition.balance)),
      by_time_(settings.partition.balance.by == config::BalanceBy::time),
      every_(settings.partition.rebalance_every_steps),
      interval_(std::min(first_interval, every_)) {
  if (communicator.size() == 1 || settings.partition.method == config::PartitionMethod::random) {
    every_ = 0;
  }
}

Repartition::Served Repartition::serve(dynamics::Engine& engine) {
  Served served;
  if (!is_due(engine)) return served;
  const Report mine = report_of(engine);
  const auto ranks = communicator_.all_gather(std::span<const Report>(&mine, 1));
  // A GPU times blocks of several steps alone; there may have been none.
  const bool is_told = std::ranges::all_of(ranks, [](const auto& r) { return r.timed_steps > 0; });
  next_ = engine.step() + interval_;
  if (!is_told && by_time_) return served;
  take(ranks);
  before_ = busy_time(engine);
  const auto step = engine.step();
  Assessment assessment{step, 0, {}, false};
  for (const auto& rank : ranks) {
    assessment.step_seconds = std::max(assessment.step_seconds, rank.step_seconds);
    assessment.ranks.push_back({rank.busy_seconds, rank.residues, rank.ghosts});
  }
  memory_ = domain::watch(rules_, loads_, step_seconds_, memory_);
  if (is_worth_a_try(step)) {
    served.told = share_out(engine);
    assessment.has_moved = begins_;
  }
  if (begins_) {
    interval_ = std::min(first_interval, every_);
  } else if (memory_.uneven_in_a_row == 0 && !memory_.is_mending) {
    interval_ = std::min(2 * interval_, every_);
  }
  next_ = step + interval_;
  served.assessment = std::move(assessment);
  return served;
}

/// What steps take right after a start or a move, as plans and recordings, is no part of any load.
bool Repartition::is_due(const dynamics::Engine& engine) {
  if (every_ == 0) return false;
  if (std::exchange(begins_, false)) {
    before_ = busy_time(engine);
    next_ = engine.step() + interval_;
    return false;
  }
  return engine.step() >= next_;
}

Repartition::Report Repartition::report_of(const dynamics::Engine& engine) const {
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
                        row_work * static_cast<double>(statistics.owned) +
                        rules_.ghost_work * static_cast<double>(statistics.ghosts);
  if (!speed_.empty()) {
    const double sum = std::accumulate(speed_.begin(), speed_.end(), 0.0);
    report.counted_work *= sum / (static_cast<double>(speed_.size()) *
                                  speed_[static_cast<std::size_t>(communicator_.rank())]);
  }
  report.most_residues = std::numeric_limits<std::int64_t>::max();
  if (devices_ && device::computes_on_gpu() && statistics.memory_bytes > 0) {
    const auto free_bytes = static_cast<double>(device::free_memory(*devices_).device_bytes);
    const double growth =
        1 + usable_memory * free_bytes / static_cast<double>(statistics.memory_bytes);
    report.most_residues = std::llround(
        std::min(9e18, growth * static_cast<double>(std::max<std::int64_t>(1, report.residues))));
  }
  return report;
}

/// Into the smoothed loads.
void Repartition::take(const std::vector<Report>& ranks) {
  ranks_ = ranks;
  const bool is_first = loads_.empty();
  const double newest = is_first ? 1 : settings_.partition.balance.smoothing;
  loads_.resize(ranks.size());
  double step_seconds = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const double busy = by_time_ ? ranks[rank].busy_seconds : ranks[rank].counted_work;
    auto& load = loads_[rank];
    load.busy_seconds += newest * (busy - load.busy_seconds);
    step_seconds = std::max(step_seconds, by_time_ ? ranks[rank].step_seconds : busy);
  }
  step_seconds_ = is_first ? step_seconds : step_seconds_ + newest * (step_seconds - step_seconds_);
}

std::int64_t Repartition::steps_ahead(std::int64_t step) const {
  return std::clamp<std::int64_t>(settings_.dynamics.steps - step, 0,
                                  std::max(every_, steps_counted_on));
}

bool Repartition::is_worth_a_try(std::int64_t step) {
  std::int64_t ghosts = 0;
  double most = 0, mean = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    ghosts += ranks_[rank].ghosts;
    most = std::max(most, loads_[rank].busy_seconds);
    mean += loads_[rank].busy_seconds / static_cast<double>(loads_.size());
  }
  if (ghosts_before_ < 0) ghosts_before_ = ghosts;
  if (static_cast<double>(ghosts) > more_ghosts * static_cast<double>(ghosts_before_)) {
    ghosts_before_ = -1;
    return true;
  }
  // No map gains more than this.
  const double gain = (most - mean) * static_cast<double>(steps_ahead(step));
  return memory_.wants_partition && (!by_time_ || gain > rules_.margin * move_seconds_);
}

/// Collective: of all ranks.
double Repartition::slowest(double seconds) const {
  return 1e-9 * static_cast<double>(communicator_.max(std::llround(1e9 * seconds)));
}

Repartition::Whole Repartition::gather(const dynamics::Engine& engine) const {
  const auto mine = engine.owned_state();
  std::vector<Row> rows;
  rows.reserve(mine.id.size());
  for (std::size_t i = 0; i < mine.id.size(); ++i) {
    rows.push_back({mine.id[i], communicator_.rank(), mine.position[i]});
  }
  Whole all;
  all.state.position.resize(topology_.residues.size());
  all.owner.resize(topology_.residues.size());
  for (const Row& row : communicator_.all_gather(std::span<const Row>(rows))) {
    all.state.position[static_cast<std::size_t>(row.id)] = row.position;
    all.owner[static_cast<std::size_t>(row.id)] = row.rank;
  }
  all.work = domain::counted_work(topology_, all.state.position, setup::typical_skin_nm);
  return all;
}

std::vector<std::int64_t> Repartition::ghosts_of(const Whole& all,
                                                 const domain::Ownership& owner) const {
  const double range_nm = setup::typical_skin_nm + (topology_.short_range.cutoff_nm > 0
                                                        ? topology_.short_range.cutoff_nm
                                                        : topology_.electrostatics.cutoff_nm);
  const auto ghosts = domain::count_ghosts(topology_.box, all.state.position, owner,
                                           communicator_.rank(), range_nm);
  return communicator_.all_gather(std::span<const std::int64_t>(&ghosts, 1));
}

/// Whether each rank has room for its residues; one that has not is to get fewer.
bool Repartition::fits(const domain::Ownership& owner, std::vector<double>& speeds) const {
  std::vector<std::int64_t> residues(ranks_.size(), 0);
  for (const int rank : owner) ++residues[static_cast<std::size_t>(rank)];
  bool has_room = true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto most = std::max<std::int64_t>(1, ranks_[rank].most_residues);
    if (residues[rank] <= most) continue;
    has_room = false;
    speeds[rank] *= 0.95 * static_cast<double>(most) / static_cast<double>(residues[rank]);
  }
  return has_room;
}

/// Collective: of some maps that fit, each corrected by what the one before would give.
std::optional<Repartition::Plan> Repartition::best_plan(const Whole& all,
                                                        const std::vector<domain::RankLoad>& loads,
                                                        std::int64_t step,
                                                        double move_seconds) const {
  std::optional<Plan> best;
  auto speeds = domain::speeds_of(loads);
  for (int k = 0; k < most_maps && !speeds.empty(); ++k) {
    Plan plan;
    plan.owner =
        setup::shared_owners(communicator_, settings_, topology_, all.state, speeds, all.work);
    if (!fits(plan.owner, speeds)) continue;
    plan.ghosts = ghosts_of(all, plan.owner);
    plan.verdict = domain::weigh(rules_, loads, step_seconds_,
                                 {domain::loads_of(all.work, plan.owner, communicator_.size()),
                                  plan.ghosts, move_seconds, by_time_ ? steps_ahead(step) : 1});
    speeds = domain::corrected(std::move(speeds), plan.verdict.busy_seconds);
    if (best && best->verdict.step_seconds <= plan.verdict.step_seconds) continue;
    best = std::move(plan);
    if (best->verdict.balance > good_balance) break;
  }
  return best;
}

std::string Repartition::share_out(dynamics::Engine& engine) {
  const auto start = Clock::now();
  const auto step = engine.step();
  const Whole all = gather(engine);
  const auto work = domain::loads_of(all.work, all.owner, communicator_.size());
  const auto ghosts = ghosts_of(all, all.owner);
  auto loads = loads_;
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    loads[rank].work = work[rank];
    loads[rank].ghosts = ghosts[rank];
  }
  // Before the first move: gathering and counting take about as long as moving.
  const double move_seconds = move_seconds_ > 0 ? move_seconds_ : slowest(seconds_since(start));
  auto plan = best_plan(all, loads, step, move_seconds);
  const bool is_taken =
      plan &&
      (by_time_ ? plan->verdict.pays : step_seconds_ >= least_gain * plan->verdict.step_seconds);
  memory_ = domain::tried(rules_, memory_, is_taken);
  if (!plan) {
    return fmt::format(
        "step {}: residues stay where they are: no map leaves every rank within its memory", step);
  }
  if (!is_taken) return words_of(step, *plan, move_seconds, false);
  const auto moved = Clock::now();
  const auto owner = std::move(plan->owner);
  engine.set_owner(owner);
  move_seconds_ = slowest(seconds_since(moved));
  std::string told = words_of(step, *plan, move_seconds_, true);
  loads_.clear();
  ghosts_before_ = -1;
  begins_ = true;
  return told;
}

std::string Repartition::words_of(std::int64_t step, const Plan& plan, double move_seconds,
                                  bool is_taken) const {
  const auto ghosts = std::accumulate(plan.ghosts.begin(), plan.ghosts.end(), std::int64_t{0});
  std::string text = fmt::format("step {}: {}, balance {:.3f} ", step,
                                 is_taken ? "shared out anew" : "residues stay where they are",
                                 domain::balance_of(loads_));
  text += fmt::format("and {:.3f} foreseen, with {} ghosts", plan.verdict.balance, ghosts);
  if (!by_time_) return text + " (by counted work)";
  return text + fmt::format(
                    "; a step of {:.3g} ms would take {:.3g} ms, {:.3g} s gained in {} "
                    "steps, the move {} {:.3g} s",
                    1e3 * step_seconds_, 1e3 * plan.verdict.step_seconds, plan.verdict.gain_seconds,
                    steps_ahead(step), is_taken ? "took" : "would take", move_seconds);
}

}  // namespace nfold::run
