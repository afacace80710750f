// Search for another partition, preparation for it, and migration of the residues.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/repartition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "comm/rank_locations.hpp"
#include "session/job/collective_work.hpp"
#include "session/run/preparation.hpp"
#include "session/setup/partition_choice.hpp"

namespace nfold::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_gain =
    1.02;  // least ratio of the slowest rank's work before and after, if loads are counted work
// Partitions of more residues are sought by a thread of rank 0 while steps continue.
constexpr std::int64_t direct_search_residues = 5'000;
constexpr double repartitions_per_gather =
    4;  // assumed duration of the first repartition, in units of the gather

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class T>
bool is_ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

/// Orders positions by id; by_rank: gathered rank by rank, in ascending id of each rank.
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

/// Returns the rows of the first residues of units, for those that this rank owns.
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

Repartition::Repartition(const comm::Communicator& communicator, const input::Settings& settings,
                         const topology::Topology& topology, std::vector<double> speed,
                         std::shared_ptr<device::JobDevices> devices, std::int64_t most_units)
    : communicator_(communicator),
      settings_(settings),
      topology_(topology),
      watch_(communicator, settings, std::move(speed), std::move(devices)) {
  if (most_units == 0) most_units = setup::max_repartition_units(communicator.size());
  const int longest = setup::residues_per_repartition_unit(settings, topology,
                                                           topology.residue_count(), most_units);
  if (!watch_.is_idle() && longest > 1) units_ = domain::ResidueUnits(topology, longest);
}

Repartition::Result Repartition::run_if_due(engine::Engine& engine) {
  Result result;
  if (decision_) return all_are_prepared() ? move(engine) : result;
  if (pending_assessment_) return is_search_done() ? take_result(engine) : result;
  if (watch_.is_idle()) return result;
  if (watch_.is_to_begin()) {
    if (units_.are_pieces())
      (void)unit_rows(engine);  // computed here, so that no decision waits for them
    watch_.begin(engine);
    return result;
  }
  if (!watch_.is_due(engine.step())) return result;
  auto assessment = watch_.assess(engine);
  if (assessment && watch_.should_repartition(engine.step(), move_seconds_)) {
    start_search(engine, std::move(*assessment));
    return is_small() ? take_result(engine) : result;
  }
  result.log_line = log_.record(watch_.decision());
  result.assessment = std::move(assessment);
  return result;
}

std::int64_t Repartition::next_check(std::int64_t step) const {
  return pending_assessment_ ? watch_.next_short_check(step) : watch_.next_check(step);
}

bool Repartition::is_settled() const { return !pending_assessment_ && watch_.is_settled(); }

/// Returns the rows of this rank's units, cached until the engine's partition changes, which
/// verification does too.
const std::vector<int>& Repartition::unit_rows(const engine::Engine& engine) {
  auto owner = engine.owner();
  if (unit_rows_.owner != owner) {
    auto rows = rows_of_units(units_, *owner, communicator_.rank());
    unit_rows_ = {std::move(owner), std::move(rows)};
  }
  return unit_rows_.rows;
}

/// Collective. Returns the largest value of all ranks.
double Repartition::slowest(double seconds) const {
  return 1e-9 * static_cast<double>(communicator_.max(std::llround(1e9 * seconds)));
}

bool Repartition::is_small() const { return topology_.residue_count() <= direct_search_residues; }

/// Collective. Gathers positions and starts the search on rank 0.
void Repartition::start_search(const engine::Engine& engine, Assessment assessment) {
  const auto start = Clock::now();
  costs_ = watch_.fitted_costs();
  const bool by_units = units_.are_pieces();
  const auto mine =
      by_units ? engine.positions_of_rows(unit_rows(engine)) : engine.owned_positions();
  auto all = communicator_.gather(std::span<const system::FixedPosition>(mine));
  auto node = comm::gather_rank_nodes(communicator_, settings_.partition.ranks_per_node);
  pending_assessment_ = std::move(assessment);
  new_maps_.sought = true;
  job::on_root(communicator_, [&] {
    PartitionSearchInput question;
    question.rules = watch_.rules();
    question.costs = costs_ ? costs_->costs : watch_.usual_costs();
    question.loads = watch_.loads();
    question.residue_capacity = watch_.residue_capacity();
    question.node = std::move(node);
    question.step_seconds = watch_.step_seconds();
    question.move_seconds = move_seconds_;
    question.steps_ahead = watch_.is_timed() ? watch_.steps_ahead(engine.step()) : 1;
    auto seek = [this, by_units, owner = engine.owner(), all = std::move(all),
                 question = std::move(question)]() mutable {
      question.owner = by_units ? units_.of_units(*owner) : *owner;
      question.units = units_;
      question.state.position = by_id(all, question.owner, question.loads.size());
      all = {};
      return find_partition(settings_, topology_, question);
    };
    found_ = std::async(is_small() ? std::launch::deferred : std::launch::async, std::move(seek));
  });
  paused_seconds_ = slowest(seconds_since(start));
  if (move_seconds_ == 0) move_seconds_ = repartitions_per_gather * paused_seconds_;
}

/// Collective. True if the search has ended.
bool Repartition::is_search_done() const {
  return communicator_.any(communicator_.is_root() && is_ready(found_));
}

/// Collective. Takes the partition that was found, if it pays.
Repartition::Result Repartition::take_result(engine::Engine& engine) {
  const auto step = engine.step();
  std::optional<FoundPartition> found;
  job::on_root(communicator_, [&] { found = found_.get(); });
  std::vector<Offer> offers;
  if (found) {
    const auto& partition_estimate = found->partition_estimate;
    const bool pays =
        watch_.overfull_rank() >= 0 ||
        (watch_.is_timed() ? partition_estimate.pays
                           : watch_.step_seconds() >= least_gain * partition_estimate.step_seconds);
    offers.push_back({pays, found->ghosts, partition_estimate.step_seconds,
                      partition_estimate.gain_seconds, partition_estimate.balance});
  }
  offers = communicator_.all_gather(std::span<const Offer>(offers));
  const bool is_taken = !offers.empty() && offers.front().pays;
  watch_.record_attempt(is_taken);
  if (offers.empty()) {
    return end_attempt(
        engine, domain::RebalanceOutcome::no_partition_fits, 0,
        fmt::format(
            "step {}: residues stay where they are: no map leaves every rank within its memory",
            step));
  }
  if (!is_taken) {
    const double gain_share = 1 - offers.front().step_seconds / watch_.step_seconds();
    return end_attempt(engine,
                       gain_share > 0 ? domain::RebalanceOutcome::gain_below_cost
                                      : domain::RebalanceOutcome::no_better_partition,
                       gain_share,
                       describe_attempt(step, offers.front(),
                                        fmt::format("would take {:.3g} s, and {} times that must "
                                                    "be gained",
                                                    move_seconds_, watch_.rules().margin)));
  }
  const auto start = Clock::now();
  new_maps_.prepared = true;
  if (!found) found.emplace();
  const auto policy = is_small() ? std::launch::deferred : std::launch::async;
  auto prepare = [this, &engine,
                  owner = communicator_.all_gather(std::span<const int>(found->owner))]() mutable {
    if (units_.are_pieces()) owner = units_.of_residues(owner);
    return preparation(engine, std::move(owner))();
  };
  decision_ = {offers.front(), step, std::async(policy, std::move(prepare))};
  paused_seconds_ += slowest(seconds_since(start));
  return is_small() ? move(engine) : Result();
}

/// Collective. True if all ranks are prepared.
bool Repartition::all_are_prepared() const {
  return !communicator_.any(!is_ready(decision_->prepared));
}

/// Collective. Throws, before residues migrate, on each rank whose preparation failed, and on no
/// other.
Repartition::Result Repartition::move(engine::Engine& engine) {
  const auto step = engine.step();
  const auto start = Clock::now();
  engine.set_owner(decision_->prepared.get());
  move_seconds_ = paused_seconds_ + slowest(seconds_since(start));
  auto words = fmt::format("took {:.3g} s", move_seconds_);
  if (step > decision_->step) words += fmt::format(", prepared {} steps", step - decision_->step);
  words += fmt::format(", {:.3g} s of it to decide", paused_seconds_);
  auto log_line = describe_attempt(step, decision_->offer, words);
  decision_.reset();
  unit_rows_ = {};
  pending_assessment_->has_moved = true;
  watch_.forget();
  return end_attempt(engine, domain::RebalanceOutcome::moved, 0, std::move(log_line));
}

/// Attempts are rare enough for a line of each.
Repartition::Result Repartition::end_attempt(const engine::Engine& engine,
                                             domain::RebalanceOutcome outcome, double gain_share,
                                             std::string log_line) {
  (void)log_.record({outcome, gain_share});
  watch_.start_interval(engine);  // the search or preparation may have slowed the previous steps
  return {std::move(log_line), std::exchange(pending_assessment_, std::nullopt)};
}

/// Returns a line for the log. move: duration of the move, as text.
std::string Repartition::describe_attempt(std::int64_t step, const Offer& offer,
                                          const std::string& move) const {
  std::string text = fmt::format("step {}: {}, balance {:.3f} ", step,
                                 offer.pays ? "shared out anew" : "residues stay where they are",
                                 domain::load_balance(watch_.loads()));
  text += fmt::format("and {:.3f} foreseen, with {} ghosts", offer.balance, offer.ghosts);
  if (const int rank = watch_.overfull_rank(); rank >= 0) {
    text += fmt::format("; rank {} has more residues than its memory has room for", rank);
  }
  if (!watch_.is_timed()) return text + " (by counted work)";
  text += fmt::format(
      "; a step of {:.3g} ms would take {:.3g} ms, {:.3g} s gained in {} steps, the move {}",
      1e3 * watch_.step_seconds(), 1e3 * offer.step_seconds, offer.gain_seconds,
      watch_.steps_ahead(step), move);
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
