// Gathers the positions of all ranks and weighs a new map against the present one.
// SPDX-License-Identifier: BSD-3-Clause

#include "run/repartition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "device/device_memory.hpp"
#include "domain/counted_work.hpp"
#include "domain/rebalance.hpp"
#include "setup/system_setup.hpp"

namespace nfold::run {
namespace {

// Counting from the positions and moving take seconds for a million residues, so that little speed
// must have been lost before, and little must be gained then.
constexpr double uneven = 1.1;        // entries of the busiest rank over the mean
constexpr double more_uneven = 1.05;  // than the last attempt left
constexpr double more_ghosts = 1.25;
constexpr double least_gain = 1.02;  // of the busiest rank's work

/// Over the mean one.
double relative_speed(const std::vector<double>& speed, std::size_t rank) {
  if (speed.empty()) return 1;
  return speed[rank] * static_cast<double>(speed.size()) /
         std::accumulate(speed.begin(), speed.end(), 0.0);
}

struct Row {
  std::int32_t id = 0, rank = 0;
  system::FixedPosition position{};
};

}  // namespace

Repartition::Repartition(const comm::Communicator& communicator, const config::Settings& settings,
                         const topology::Topology& topology, std::int64_t first_step,
                         std::vector<double> speed)
    : communicator_(communicator),
      settings_(settings),
      topology_(topology),
      speed_(std::move(speed)),
      every_(settings.partition.rebalance_every_steps),
      ghost_work_(device::computes_on_gpu() ? domain::ghost_work_on_gpu : domain::ghost_work) {
  if (communicator.size() == 1 || !setup::is_by_space(settings.partition.method, topology))
    every_ = 0;
  next_ = first_step + every_;
}

std::string Repartition::serve(dynamics::Engine& engine) {
  if (every_ == 0 || engine.step() < next_) return "";
  next_ = engine.step() + every_;
  const auto statistics = engine.statistics();
  const Counts mine{statistics.pair_entries, statistics.ghosts};
  const auto ranks = communicator_.all_gather(std::span<const Counts>(&mine, 1));
  return is_worth_a_try(ranks) ? share_out(engine) : "";
}

bool Repartition::is_worth_a_try(const std::vector<Counts>& ranks) {
  double largest = 0, sum = 0;
  std::int64_t ghosts = 0;
  std::size_t rank = 0;
  for (const Counts& one : ranks) {
    const auto entries = static_cast<double>(one.entries);
    largest = std::max(largest, entries / relative_speed(speed_, rank++));
    sum += entries;
    ghosts += one.ghosts;
  }
  const double unevenness = sum > 0 ? largest * static_cast<double>(ranks.size()) / sum : 1;
  if (ghosts_before_ < 0) ghosts_before_ = ghosts;
  const bool is_worth_it =
      unevenness > std::max(uneven, more_uneven * unevenness_before_) ||
      static_cast<double>(ghosts) > more_ghosts * static_cast<double>(ghosts_before_);
  if (is_worth_it) {
    unevenness_before_ = unevenness;
    ghosts_before_ = -1;
  }
  return is_worth_it;
}

/// Collective: work of the busiest rank, with that of its ghosts, over the mean without these.
double Repartition::busiest(const std::vector<double>& work,
                            const std::vector<system::FixedPosition>& position,
                            const domain::Ownership& owner) const {
  const double range_nm = setup::typical_skin_nm + (topology_.short_range.cutoff_nm > 0
                                                        ? topology_.short_range.cutoff_nm
                                                        : topology_.electrostatics.cutoff_nm);
  const auto ghosts =
      domain::count_ghosts(topology_.box, position, owner, communicator_.rank(), range_nm);
  const auto loads = domain::loads_of(work, owner, communicator_.size());
  double largest = 0, sum = 0;
  std::size_t rank = 0;
  for (const std::int64_t count :
       communicator_.all_gather(std::span<const std::int64_t>(&ghosts, 1))) {
    sum += loads[rank];
    const double all = loads[rank] + ghost_work_ * static_cast<double>(count);
    largest = std::max(largest, all / relative_speed(speed_, rank++));
  }
  return sum > 0 ? largest * communicator_.size() / sum : 1;
}

std::string Repartition::share_out(dynamics::Engine& engine) {
  const auto mine = engine.owned_state();
  std::vector<Row> rows;
  rows.reserve(mine.id.size());
  for (std::size_t i = 0; i < mine.id.size(); ++i) {
    rows.push_back({mine.id[i], communicator_.rank(), mine.position[i]});
  }
  system::State all;
  all.position.resize(topology_.residues.size());
  domain::Ownership owner(topology_.residues.size());
  for (const Row& row : communicator_.all_gather(std::span<const Row>(rows))) {
    all.position[static_cast<std::size_t>(row.id)] = row.position;
    owner[static_cast<std::size_t>(row.id)] = row.rank;
  }
  const auto work = domain::counted_work(topology_, all.position, setup::typical_skin_nm);
  auto candidate = setup::shared_owners(communicator_, settings_, topology_, all, speed_);
  const double now = busiest(work, all.position, owner);
  const double then = busiest(work, all.position, candidate);
  if (now < least_gain * then) {
    return fmt::format(
        "step {}: the busiest rank has, with its ghosts, {:.2f} of the mean work, and keeps it",
        engine.step(), now);
  }
  engine.set_owner(std::move(candidate));
  unevenness_before_ = 1;
  return fmt::format(
      "step {}: shared out anew, the busiest rank had, with its ghosts, {:.2f} of the mean work, "
      "now {:.2f}",
      engine.step(), now, then);
}

}  // namespace nfold::run
