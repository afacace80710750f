// Partitions by the ranks' measured speeds, of which the best is kept.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/run/partition_search.hpp"

#include <algorithm>
#include <future>
#include <numeric>
#include <utility>

#include "domain/counted_work.hpp"
#include "domain/ghost_count.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::run {
namespace {

constexpr double good_balance = 0.98;  // sufficient; the search ends
constexpr int max_partitions = 3;

/// True if each rank's memory holds its residues; otherwise lowers the speeds of overfull ranks.
bool fits(const domain::Ownership& owner, const PartitionSearchInput& question,
          std::vector<double>& speeds) {
  const auto& residue_capacity = question.residue_capacity;
  std::vector<std::int64_t> residues(residue_capacity.size(), 0);
  for (std::size_t at = 0; at < owner.size(); ++at) {
    residues[static_cast<std::size_t>(owner[at])] +=
        question.has_units() ? question.units.residues_of(at) : 1;
  }
  bool fits_memory = true;
  for (std::size_t rank = 0; rank < residues.size(); ++rank) {
    const auto most = std::max<std::int64_t>(1, residue_capacity[rank]);
    if (residues[rank] <= most) continue;
    fits_memory = false;
    const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    const double share =
        0.95 * speeds[rank] / all * static_cast<double>(most) / static_cast<double>(residues[rank]);
    speeds[rank] = share / (1 - share) * (all - speeds[rank]);  // the others keep their speeds
  }
  return fits_memory;
}

}  // namespace

std::optional<FoundPartition> find_partition(const input::Settings& settings,
                                             const topology::Topology& topology,
                                             const PartitionSearchInput& question) {
  const auto& position = question.state.position;
  const int ranks = static_cast<int>(question.loads.size());
  const double range_nm = setup::typical_skin_nm + (topology.short_range.cutoff_nm > 0
                                                        ? topology.short_range.cutoff_nm
                                                        : topology.electrostatics.cutoff_nm);
  const auto ghosts_of = [&](const domain::Ownership& owner) {
    auto ghosts = domain::count_ghosts(topology.box, position, owner, ranks, range_nm);
    if (!question.has_units()) return ghosts;
    for (auto& count : ghosts) count = count * question.units.residues / question.units.count();
    return ghosts;
  };
  // Runs beside the counting of work, which takes as long.
  auto ghosts_now = std::async(std::launch::async, [&] { return ghosts_of(question.owner); });
  const auto work =
      question.has_units()
          ? domain::counted_work(topology, question.units, position, setup::typical_skin_nm,
                                 question.costs)
          : domain::counted_work(topology, position, setup::typical_skin_nm, question.costs);
  // Also used for units: the methods that partition them use positions and work only.
  const auto owners_by = [&](const std::vector<double>& speeds) {
    return setup::owners(settings, topology, question.state, ranks, speeds, question.node, work);
  };
  auto rules = question.rules;
  rules.ghost_work = question.costs.ghost;
  auto loads = question.loads;
  const auto work_now = domain::rank_loads(work, question.owner, ranks);
  const auto ghosts_of_rank = ghosts_now.get();
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    loads[rank].work = work_now[rank];
    loads[rank].ghosts = ghosts_of_rank[rank];
  }
  std::optional<FoundPartition> best;
  auto speeds = domain::rank_speeds(loads);
  for (int k = 0; k < max_partitions && !speeds.empty(); ++k) {
    FoundPartition found;
    found.owner = owners_by(speeds);
    if (!fits(found.owner, question, speeds)) continue;
    auto ghosts = ghosts_of(found.owner);
    found.ghosts = std::accumulate(ghosts.begin(), ghosts.end(), std::int64_t{0});
    found.partition_estimate =
        domain::weigh(rules, loads, question.step_seconds,
                      {domain::rank_loads(work, found.owner, ranks), std::move(ghosts),
                       question.move_seconds, question.steps_ahead});
    speeds = domain::correct_speeds(std::move(speeds), found.partition_estimate.busy_seconds);
    if (best && best->partition_estimate.step_seconds <= found.partition_estimate.step_seconds)
      continue;
    best = std::move(found);
    if (best->partition_estimate.balance > good_balance) break;
  }
  return best;
}

}  // namespace nfold::run
