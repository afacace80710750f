// Hot and cold ranks, patience and rest, and what a move would bring.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/rebalance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "domain/position_cells.hpp"
#include "system/occupied_cells.hpp"

namespace nfold::domain {
namespace {

// As the halo's own cells are, where there is memory for them.
constexpr int cells_per_range = 3;

struct Spread {
  double most = 0, least = 0, mean = 0;  // busy seconds
};

Spread spread_of(std::span<const RankLoad> loads) {
  Spread spread{loads[0].busy_seconds, loads[0].busy_seconds, 0};
  for (const auto& load : loads) {
    spread.most = std::max(spread.most, load.busy_seconds);
    spread.least = std::min(spread.least, load.busy_seconds);
    spread.mean += load.busy_seconds / static_cast<double>(loads.size());
  }
  return spread;
}

double cost(double work, std::int64_t ghosts) {
  return work + ghost_work * static_cast<double>(ghosts);
}

/// Seconds per unit of work of each rank; the mean where a rank has next to none to tell it.
std::vector<double> coefficients_of(std::span<const RankLoad> loads, double& mean) {
  double all_seconds = 0, all_cost = 0;
  for (const auto& load : loads) {
    all_seconds += load.busy_seconds;
    all_cost += cost(load.work, load.ghosts);
  }
  mean = all_cost > 0 ? all_seconds / all_cost : 0;
  std::vector<double> coefficients;
  coefficients.reserve(loads.size());
  for (const auto& load : loads) {
    const double own = cost(load.work, load.ghosts);
    const bool is_measured = own * static_cast<double>(loads.size()) > 0.1 * all_cost;
    coefficients.push_back(is_measured ? load.busy_seconds / own : mean);
  }
  return coefficients;
}

}  // namespace

RebalanceMemory watch(const RebalanceSettings& settings, std::span<const RankLoad> loads,
                      double step_seconds, RebalanceMemory memory) {
  memory.wants_partition = false;
  if (loads.size() < 2 || !(step_seconds > 0)) return memory;
  const Spread busy = spread_of(loads);
  const bool is_hot = busy.most > settings.hot * step_seconds;
  const bool is_cold = busy.least < settings.cold * step_seconds;
  const double excess = busy.most - busy.mean;
  if (!is_hot || (!is_cold && excess <= settings.threshold * busy.mean)) {
    memory.uneven_in_a_row = 0;
    memory.rest = std::max(memory.rest - 1, 0);
    // Half the threshold: a load that hovers around it does not end the rests.
    if (excess < 0.5 * settings.threshold * busy.mean) memory.next_rest = 1;
    return memory;
  }
  ++memory.uneven_in_a_row;
  if (memory.rest > 0) {
    --memory.rest;
    return memory;
  }
  memory.wants_partition = memory.uneven_in_a_row >= settings.patience;
  return memory;
}

RebalanceMemory tried(const RebalanceSettings& settings, RebalanceMemory memory) {
  memory.wants_partition = false;
  memory.uneven_in_a_row = 0;
  memory.rest = memory.next_rest;
  memory.next_rest = std::min(2 * memory.next_rest, settings.longest_rest);
  return memory;
}

Verdict weigh(const RebalanceSettings& settings, std::span<const RankLoad> loads,
              double step_seconds, const Candidate& candidate) {
  const std::size_t ranks = loads.size();
  if (ranks == 0 || candidate.work.size() != ranks || candidate.ghosts.size() != ranks) {
    throw std::invalid_argument("a partition of " + std::to_string(candidate.work.size()) +
                                " ranks' work and " + std::to_string(candidate.ghosts.size()) +
                                " ranks' ghosts weighed against loads of " + std::to_string(ranks));
  }
  double mean = 0, slowest = 0;
  const auto coefficient = coefficients_of(loads, mean);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    slowest =
        std::max(slowest, coefficient[rank] * cost(candidate.work[rank], candidate.ghosts[rank]));
  }
  Verdict verdict;
  verdict.step_seconds = std::max(step_seconds - spread_of(loads).most, 0.0) + slowest;
  const double gain =
      (step_seconds - verdict.step_seconds) * static_cast<double>(candidate.steps_ahead);
  verdict.pays = gain > settings.margin * candidate.move_seconds;
  char text[200];
  std::snprintf(text, sizeof text,
                "a new partition would make a step %.3g ms instead of %.3g ms: %.3g s gained in "
                "%lld steps for a move of %.3g s%s",
                1e3 * verdict.step_seconds, 1e3 * step_seconds, gain,
                static_cast<long long>(candidate.steps_ahead), candidate.move_seconds,
                verdict.pays ? "" : "; not taken");
  verdict.reason = text;
  return verdict;
}

std::vector<double> speeds_of(std::span<const RankLoad> loads) {
  constexpr double noise = 0.1;
  double mean = 0;
  auto speeds = coefficients_of(loads, mean);
  bool differ = false;
  for (auto& speed : speeds) {
    if (!(speed > 0)) return {};
    differ = differ || std::abs(speed / mean - 1) > noise;
    speed = 1 / speed;
  }
  return differ ? speeds : std::vector<double>{};
}

std::int64_t count_ghosts(const system::Box& box, std::span<const system::FixedPosition> positions,
                          const Ownership& owner, int rank, double range_nm) {
  const system::CellGrid grid = grid_of(box, positions, range_nm / cells_per_range);
  std::vector<std::uint64_t> mine, others;
  for (std::size_t id = 0; id < positions.size(); ++id) {
    (owner[id] == rank ? mine : others).push_back(key_of(grid, positions[id]));
  }
  std::ranges::sort(mine);
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  std::ranges::sort(others);
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> residues;  // in each of the others' cells
  for (const std::uint64_t key : others) {
    if (keys.empty() || keys.back() != key) {
      keys.push_back(key);
      residues.push_back(0);
    }
    ++residues.back();
  }
  const system::OccupiedCells cells(grid, std::move(keys));
  std::int64_t ghosts = 0;
  for (const std::uint64_t key : mine) {
    cells.for_each_near(system::CellGrid::cell_of_key(key), cells_per_range,
                        [&](std::size_t c) { ghosts += std::exchange(residues[c], 0); });
  }
  return ghosts;
}

}  // namespace nfold::domain
