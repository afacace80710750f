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

#include "comm/rank_places.hpp"
#include "device/device_memory.hpp"
#include "job/collective_work.hpp"
#include "run/busy_time.hpp"
#include "run/memory_room.hpp"
#include "run/preparation.hpp"
#include "setup/partition_choice.hpp"
#include "setup/system_setup.hpp"

namespace nfold::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t first_interval = 100;        // steps, doubled while nothing is to be done
constexpr std::int64_t steps_counted_on = 100'000;  // that a load is expected to last
constexpr double more_ghosts = 1.25;
constexpr double least_gain = 1.02;  // of the busiest rank's work, where no clock tells
// A map of more residues is sought by a thread of rank 0 while steps go on.
constexpr std::int64_t residues_at_once = 5'000;
constexpr std::size_t assessments_fitted = 16;
constexpr double moves_of_a_gathering = 4;  // how much longer a first move is expected to take

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
bool is_ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
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

/// Positions that came rank by rank, by ascending id of each.
std::vector<system::FixedPosition> by_id(const std::vector<system::FixedPosition>& by_rank,
                                         const domain::Ownership& owner, std::size_t ranks) {
  std::vector<std::size_t> next(ranks + 1, 0);
  for (const int rank : owner) ++next[static_cast<std::size_t>(rank) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<system::FixedPosition> positions;
  positions.reserve(owner.size());
  for (const int rank : owner) positions.push_back(by_rank[next[static_cast<std::size_t>(rank)]++]);
  return positions;
}

/// Of the units whose first residue is this rank's, the row of that residue.
std::vector<int> rows_of_units(const domain::ResidueUnits& units, const domain::Ownership& owner,
                               int rank) {
  std::vector<int> rows;
  auto counted = owner.begin();
  std::ptrdiff_t row = 0;
  for (const int id : units.first) {
    const auto first = owner.begin() + id;
    row += std::count(counted, first, rank);
    counted = first;
    if (*first == rank) rows.push_back(static_cast<int>(row));
  }
  return rows;
}

}  // namespace

Repartition::Repartition(const comm::Communicator& communicator, const config::Settings& settings,
                         const topology::Topology& topology, std::vector<double> speed,
                         std::shared_ptr<device::DevicesOfJob> devices, std::int64_t most_units)
    : communicator_(communicator),
      settings_(settings),
      topology_(topology),
      speed_(std::move(speed)),
      devices_(std::move(devices)),
      rules_(rules_of(settings.partition.balance)),
      prior_{.ghost = rules_.ghost_work},
      by_time_(settings.partition.balance.by == config::BalanceBy::time),
      every_(settings.partition.rebalance_every_steps),
      interval_(std::min(first_interval, every_)) {
  if (communicator.size() == 1 || settings.partition.method == config::PartitionMethod::random) {
    every_ = 0;
  }
  if (most_units == 0) most_units = setup::sought_units_at_most(communicator.size());
  const int longest =
      setup::residues_of_sought_unit(settings, topology, topology.residue_count(), most_units);
  if (every_ > 0 && longest > 1) units_ = domain::ResidueUnits(topology, longest);
}

Repartition::Served Repartition::serve(dynamics::Engine& engine) {
  Served served;
  if (decision_) return all_are_prepared() ? move(engine) : served;
  if (asked_) return has_answer() ? answer(engine) : served;
  if (!is_due(engine)) return served;
  const Report mine = report_of(engine);
  const auto ranks = communicator_.all_gather(std::span<const Report>(&mine, 1));
  // A GPU times blocks of several steps alone; there may have been none.
  const bool is_told = std::ranges::all_of(ranks, [](const auto& r) { return r.timed_steps > 0; });
  const auto step = engine.step();
  next_ = step + interval_;
  if (!is_told && by_time_) return served;
  take(ranks);
  before_ = busy_time(engine);
  Assessment assessment{step, 0, {}, false};
  for (const auto& rank : ranks) {
    assessment.step_seconds = std::max(assessment.step_seconds, rank.step_seconds);
    assessment.ranks.push_back({rank.busy_seconds, rank.residues, rank.ghosts});
  }
  memory_ = domain::watch(rules_, loads_, step_seconds_, memory_);
  if (is_worth_a_try(step)) {
    ask(engine, std::move(assessment));
    return is_small() ? answer(engine) : served;
  }
  if (!domain::is_alert(rules_, memory_)) {
    interval_ = std::min(2 * interval_, every_);
    next_ = step + interval_;
  }
  served.assessment = std::move(assessment);
  return served;
}

std::int64_t Repartition::next_look(std::int64_t step) const {
  if (every_ == 0) return std::numeric_limits<std::int64_t>::max();
  const bool waits = begins_ || asked_ || step >= next_;
  return waits ? step + std::min(first_interval, every_) : next_;
}

bool Repartition::is_settled() const {
  if (every_ == 0) return true;
  if (loads_.empty() || asked_) return false;
  return memory_.rest > 0 || !domain::is_alert(rules_, memory_);
}

/// What steps take right after a start or a move, as plans and recordings, is no part of any load.
bool Repartition::is_due(const dynamics::Engine& engine) {
  if (every_ == 0) return false;
  if (std::exchange(begins_, false)) {
    if (units_.longest > 1) (void)unit_rows(engine);  // before a decision waits for them
    before_ = busy_time(engine);
    next_ = engine.step() + interval_;
    return false;
  }
  return engine.step() >= next_;
}

/// Found once for each map that the engine has, which is another one after run.verify's moves too.
const std::vector<int>& Repartition::unit_rows(const dynamics::Engine& engine) {
  auto owner = engine.owner();
  if (unit_rows_.owner != owner) {
    auto rows = rows_of_units(units_, *owner, communicator_.rank());
    unit_rows_ = {std::move(owner), std::move(rows)};
  }
  return unit_rows_.rows;
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
  report.most_residues = most_residues(statistics, devices_.get());
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
  keep_samples();
  std::vector<std::int64_t> residues, most;
  for (const auto& rank : ranks) {
    residues.push_back(rank.residues);
    most.push_back(rank.most_residues);
  }
  short_of_memory_ = domain::short_of_memory(residues, most);
  step_seconds_ = is_first ? step_seconds : step_seconds_ + newest * (step_seconds - step_seconds_);
}

/// Where every rank's lists tell what it counted.
void Repartition::keep_samples() {
  if (!by_time_) return;
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
  if (short_of_memory_ >= 0 && step >= next_for_memory_) {
    memory_wait_ = std::clamp<std::int64_t>(2 * memory_wait_, interval_, 64 * every_);
    next_for_memory_ = step + memory_wait_;
    return true;
  }
  if (short_of_memory_ < 0) memory_wait_ = 0;
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

bool Repartition::is_small() const { return topology_.residue_count() <= residues_at_once; }

/// Collective: rank 0 begins to seek a map.
void Repartition::ask(const dynamics::Engine& engine, Assessment assessment) {
  const auto start = Clock::now();
  std::vector<domain::CostSample> samples;
  for (const auto& one : samples_) samples.insert(samples.end(), one.begin(), one.end());
  costs_ = domain::fit_costs(samples, communicator_.size(), prior_);
  const bool by_units = units_.longest > 1;
  const auto mine =
      by_units ? engine.positions_of_rows(unit_rows(engine)) : engine.owned_positions();
  auto all = communicator_.gather(std::span<const system::FixedPosition>(mine));
  auto node = comm::nodes_of(communicator_, settings_.partition.ranks_per_node);
  asked_ = std::move(assessment);
  new_maps_.sought = true;
  job::on_root(communicator_, [&] {
    MapQuestion question;
    question.rules = rules_;
    question.costs = costs_ ? costs_->costs : prior_;
    question.loads = loads_;
    for (const auto& rank : ranks_) question.most_residues.push_back(rank.most_residues);
    question.node = std::move(node);
    question.step_seconds = step_seconds_;
    question.move_seconds = move_seconds_;
    question.steps_ahead = by_time_ ? steps_ahead(engine.step()) : 1;
    auto seek = [this, by_units, owner = engine.owner(), all = std::move(all),
                 question = std::move(question)]() mutable {
      question.owner = by_units ? units_.of_units(*owner) : *owner;
      question.units = units_;
      question.state.position = by_id(all, question.owner, question.loads.size());
      all = {};
      return find_map(settings_, topology_, question);
    };
    found_ = std::async(is_small() ? std::launch::deferred : std::launch::async, std::move(seek));
  });
  paused_seconds_ = slowest(seconds_since(start));
  if (move_seconds_ == 0) move_seconds_ = moves_of_a_gathering * paused_seconds_;
}

/// Collective.
bool Repartition::has_answer() const {
  return communicator_.any(communicator_.is_root() && is_ready(found_));
}

/// Collective: takes the map that was sought, if it pays.
Repartition::Served Repartition::answer(dynamics::Engine& engine) {
  const auto step = engine.step();
  std::optional<FoundMap> found;
  job::on_root(communicator_, [&] { found = found_.get(); });
  std::vector<Offer> offers;
  if (found) {
    const auto& verdict = found->verdict;
    const bool pays =
        short_of_memory_ >= 0 ||
        (by_time_ ? verdict.pays : step_seconds_ >= least_gain * verdict.step_seconds);
    offers.push_back(
        {pays, found->ghosts, verdict.step_seconds, verdict.gain_seconds, verdict.balance});
  }
  offers = communicator_.all_gather(std::span<const Offer>(offers));
  const bool is_taken = !offers.empty() && offers.front().pays;
  memory_ = domain::tried(rules_, memory_, is_taken);
  if (offers.empty()) {
    return end_attempt(
        engine,
        fmt::format(
            "step {}: residues stay where they are: no map leaves every rank within its memory",
            step));
  }
  if (!is_taken) {
    return end_attempt(
        engine, words_of(step, offers.front(), fmt::format("would take {:.3g} s", move_seconds_)));
  }
  const auto start = Clock::now();
  new_maps_.prepared = true;
  if (!found) found.emplace();
  const auto policy = is_small() ? std::launch::deferred : std::launch::async;
  auto prepare = [this, &engine,
                  owner = communicator_.all_gather(std::span<const int>(found->owner))]() mutable {
    if (units_.longest > 1) owner = units_.of_residues(owner);
    return preparation(engine, std::move(owner))();
  };
  decision_ = {offers.front(), step, std::async(policy, std::move(prepare))};
  paused_seconds_ += slowest(seconds_since(start));
  return is_small() ? move(engine) : Served();
}

/// Collective.
bool Repartition::all_are_prepared() const {
  return !communicator_.any(!is_ready(decision_->prepared));
}

/// Collective. Where a thread has failed this throws, on its rank alone, before residues move.
Repartition::Served Repartition::move(dynamics::Engine& engine) {
  const auto step = engine.step();
  const auto start = Clock::now();
  engine.set_owner(decision_->prepared.get());
  move_seconds_ = paused_seconds_ + slowest(seconds_since(start));
  auto words = fmt::format("took {:.3g} s", move_seconds_);
  if (step > decision_->step) words += fmt::format(", prepared {} steps", step - decision_->step);
  words += fmt::format(", {:.3g} s of it to decide", paused_seconds_);
  auto told = words_of(step, decision_->offer, words);
  decision_.reset();
  unit_rows_ = {};
  asked_->has_moved = true;
  loads_.clear();
  ghosts_before_ = -1;
  begins_ = true;
  interval_ = std::min(first_interval, every_);
  return end_attempt(engine, std::move(told));
}

Repartition::Served Repartition::end_attempt(const dynamics::Engine& engine, std::string told) {
  before_ = busy_time(engine);  // threads may have slowed the steps
  next_ = engine.step() + interval_;
  return {std::move(told), std::exchange(asked_, std::nullopt)};
}

/// move: what it takes, in words.
std::string Repartition::words_of(std::int64_t step, const Offer& offer,
                                  const std::string& move) const {
  std::string text = fmt::format("step {}: {}, balance {:.3f} ", step,
                                 offer.pays ? "shared out anew" : "residues stay where they are",
                                 domain::balance_of(loads_));
  text += fmt::format("and {:.3f} foreseen, with {} ghosts", offer.balance, offer.ghosts);
  if (short_of_memory_ >= 0) {
    text +=
        fmt::format("; rank {} has more residues than its memory has room for", short_of_memory_);
  }
  if (!by_time_) return text + " (by counted work)";
  text += fmt::format(
      "; a step of {:.3g} ms would take {:.3g} ms, {:.3g} s gained in {} steps, the move {}",
      1e3 * step_seconds_, 1e3 * offer.step_seconds, offer.gain_seconds, steps_ahead(step), move);
  if (!costs_) return text;
  const auto& cost = costs_->costs;
  const double nanoseconds = 1e9 * costs_->seconds_per_unit;
  return text + fmt::format(
                    "; fitted are {:.3g} ns a pair, {:.3g} ns a charged pair, {:.3g} ns a residue, "
                    "{:.3g} ns a unit of terms, {:.3g} ns a ghost",
                    nanoseconds * cost.pair, nanoseconds * cost.charged_pair,
                    nanoseconds * cost.residue, nanoseconds * cost.term, nanoseconds * cost.ghost);
}

}  // namespace nfold::run
