// Load assessment with hysteresis, and the estimated gain of a partition.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/rebalance.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace nfold::domain {
namespace {

struct BusySpread {
  double most = 0, least = 0, mean = 0;  // busy seconds
};

BusySpread busy_spread(std::span<const RankLoad> loads) {
  BusySpread spread{loads[0].busy_seconds, loads[0].busy_seconds, 0};
  for (const auto& load : loads) {
    spread.most = std::max(spread.most, load.busy_seconds);
    spread.least = std::min(spread.least, load.busy_seconds);
    spread.mean += load.busy_seconds / static_cast<double>(loads.size());
  }
  return spread;
}

double cost(double work, std::int64_t ghosts, double ghost_work) {
  return work + ghost_work * static_cast<double>(ghosts);
}

constexpr int bound_patience = 2;
constexpr int most_moves_in_a_row = 6;

bool is_measured(double own, double all, std::size_t ranks) {
  return own * static_cast<double>(ranks) > 0.1 * all;
}

/// Returns the seconds per unit of work of each rank; the mean for a rank with too little work to
/// measure.
std::vector<double> coefficients_of(std::span<const RankLoad> loads, double ghost_work) {
  double all_seconds = 0, all_cost = 0;
  for (const auto& load : loads) {
    all_seconds += load.busy_seconds;
    all_cost += cost(load.work, load.ghosts, ghost_work);
  }
  const double mean = all_cost > 0 ? all_seconds / all_cost : 0;
  std::vector<double> coefficients;
  coefficients.reserve(loads.size());
  for (const auto& load : loads) {
    const double own = cost(load.work, load.ghosts, ghost_work);
    coefficients.push_back(is_measured(own, all_cost, loads.size()) ? load.busy_seconds / own
                                                                    : mean);
  }
  return coefficients;
}

RebalanceOutcome outcome_of(const RebalanceMemory& memory, bool is_imbalanced, bool is_bound,
                            bool is_resting) {
  if (!is_imbalanced) return RebalanceOutcome::balanced;
  if (is_bound) return RebalanceOutcome::bound_by_communication;
  if (is_resting) return RebalanceOutcome::resting;
  if (memory.needs_repartition) return RebalanceOutcome::requested;
  return memory.uneven_in_a_row > 0 ? RebalanceOutcome::waiting : RebalanceOutcome::below_threshold;
}

}  // namespace

int slow_patience(const RebalanceSettings& settings) { return 4 * settings.patience; }

RebalanceMemory assess_loads(const RebalanceSettings& settings, std::span<const RankLoad> loads,
                             double step_seconds, RebalanceMemory memory) {
  memory.needs_repartition = false;
  if (loads.size() < 2 || !(step_seconds > 0)) return memory;
  const BusySpread busy = busy_spread(loads);
  const bool is_hot = busy.most > settings.hot * step_seconds;
  const double excess = busy.most - busy.mean;
  const bool is_imbalanced = excess > settings.even * busy.mean;
  const bool is_uneven = is_imbalanced && (excess > settings.threshold * busy.mean ||
                                           (is_hot && busy.least < settings.cold * step_seconds));
  const bool is_bound = busy.most < settings.cold * step_seconds;  // bound by communication
  if (!is_imbalanced) memory.next_rest = 1;  // a load near the threshold does not shorten rests
  memory.bound_in_a_row = is_bound ? memory.bound_in_a_row + 1 : 0;
  if (memory.bound_in_a_row >= bound_patience || !is_imbalanced) {
    memory.is_rebalancing = false;
    memory.moves_in_a_row = 0;
  }
  memory.uneven_in_a_row = !is_bound && is_uneven ? memory.uneven_in_a_row + 1 : 0;
  memory.imbalanced_in_a_row = is_hot && is_imbalanced ? memory.imbalanced_in_a_row + 1 : 0;
  const bool is_resting = memory.rest > 0;
  if (is_resting) {
    --memory.rest;
  } else {
    memory.is_rebalancing = memory.is_rebalancing || memory.uneven_in_a_row >= settings.patience;
    memory.needs_repartition = (memory.is_rebalancing && !is_bound) ||
                               memory.imbalanced_in_a_row >= slow_patience(settings);
  }
  memory.outcome = outcome_of(memory, is_imbalanced, is_bound, is_resting);
  return memory;
}

bool is_alert(const RebalanceSettings& settings, const RebalanceMemory& memory) {
  // An imbalance that has lasted longer was not worth an attempt.
  const bool waits_for_attempt = memory.rest == 0 && memory.imbalanced_in_a_row > 0 &&
                                 memory.imbalanced_in_a_row <= slow_patience(settings);
  return memory.is_rebalancing || memory.uneven_in_a_row > 0 || waits_for_attempt;
}

RebalanceMemory tried(const RebalanceSettings& settings, RebalanceMemory memory, bool was_taken) {
  memory.needs_repartition = false;
  memory.uneven_in_a_row = 0;
  memory.imbalanced_in_a_row = 0;
  if (was_taken && ++memory.moves_in_a_row < most_moves_in_a_row) {
    memory.is_rebalancing = true;
    return memory;
  }
  memory.is_rebalancing = false;
  memory.moves_in_a_row = 0;
  memory.rest = memory.next_rest;
  memory.next_rest = std::min(2 * memory.next_rest, settings.longest_rest);
  return memory;
}

std::int64_t residue_capacity(std::int64_t residues, std::int64_t used_bytes,
                              std::int64_t free_bytes) {
  constexpr double usable = 0.9, growth_of_lists = 0.05;
  const double room = 1 - growth_of_lists +
                      usable * static_cast<double>(free_bytes) / static_cast<double>(used_bytes);
  return std::llround(
      std::min(9e18, room * static_cast<double>(std::max<std::int64_t>(1, residues))));
}

int overfull_rank(std::span<const std::int64_t> residues, std::span<const std::int64_t> most) {
  double room = 0;
  int first = -1;
  for (std::size_t rank = 0; rank < residues.size(); ++rank) {
    const auto over = residues[rank] - most[rank];
    room -= static_cast<double>(over);
    if (over > 0 && first < 0) first = static_cast<int>(rank);
  }
  return room >= 0 ? first : -1;
}

double load_balance(std::span<const RankLoad> loads) {
  const BusySpread busy = busy_spread(loads);
  return busy.most > 0 ? busy.mean / busy.most : 1;
}

PartitionEstimate weigh(const RebalanceSettings& settings, std::span<const RankLoad> loads,
                        double step_seconds, const Candidate& candidate) {
  const std::size_t ranks = loads.size();
  if (ranks == 0 || candidate.work.size() != ranks || candidate.ghosts.size() != ranks) {
    throw std::invalid_argument("a partition of " + std::to_string(candidate.work.size()) +
                                " ranks' work and " + std::to_string(candidate.ghosts.size()) +
                                " ranks' ghosts weighed against loads of " + std::to_string(ranks));
  }
  const auto coefficient = coefficients_of(loads, settings.ghost_work);
  std::vector<RankLoad> predicted;
  PartitionEstimate result;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const double seconds =
        coefficient[rank] * cost(candidate.work[rank], candidate.ghosts[rank], settings.ghost_work);
    result.busy_seconds.push_back(seconds);
    predicted.push_back({seconds, candidate.work[rank], candidate.ghosts[rank]});
  }
  result.balance = load_balance(predicted);
  result.step_seconds =
      std::max(step_seconds - busy_spread(loads).most, 0.0) + busy_spread(predicted).most;
  result.gain_seconds =
      (step_seconds - result.step_seconds) * static_cast<double>(candidate.steps_ahead);
  result.pays = result.gain_seconds > settings.margin * candidate.move_seconds;
  return result;
}

std::vector<double> rank_speeds(std::span<const RankLoad> loads) {
  double all_seconds = 0, all_work = 0;
  for (const auto& load : loads) {
    all_seconds += load.busy_seconds;
    all_work += load.work;
  }
  if (!(all_seconds > 0 && all_work > 0)) return {};
  std::vector<double> speeds;
  for (const auto& load : loads) {
    const bool is_conclusive =
        is_measured(load.work, all_work, loads.size()) && load.busy_seconds > 0;
    speeds.push_back(is_conclusive ? load.work / load.busy_seconds : all_work / all_seconds);
  }
  return speeds;
}

std::vector<double> correct_speeds(std::vector<double> speeds,
                                   std::span<const double> predicted_seconds) {
  double mean = 0;
  for (const double seconds : predicted_seconds) {
    mean += seconds / static_cast<double>(predicted_seconds.size());
  }
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    const double over = mean > 0 ? predicted_seconds[rank] / mean : 1;
    speeds[rank] /= std::clamp(over, 0.25, 4.0);
  }
  return speeds;
}

}  // namespace nfold::domain
