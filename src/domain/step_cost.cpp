// Step time of the slowest rank: work, ghosts and messages added up.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/step_cost.hpp"

#include <algorithm>
#include <numeric>

#include "domain/rebalance.hpp"

namespace nfold::domain {
namespace {

// Seconds per work: steps of input/BENCHMARKS.md over the counted work of their systems:
// condensate-20k on one core, go-10k and condensate-100k to condensate-1m on one H200; go on a CPU
// from three structures of 333 to 1,031 residues. An exchange on a CPU: messages of 1 to 7 kB
// between two cores by Open MPI 4.1. On a GPU: direct stores of 1 KiB to one peer; the cost of a
// further one from condensates of 100,000 to 4 M residues on four H200. Without residues a captured
// step takes the time of go-ubq.
constexpr StepCost go_on_cpu{0.78e-9, ghost_work, 2.5e-6, 1.5e-6, 0};
constexpr StepCost condensate_on_cpu{2.7e-9, ghost_work, 2.5e-6, 1.5e-6, 0};
constexpr StepCost go_on_gpu{2e-12, ghost_work_on_gpu, 5e-6, 3e-6, 6e-6};
constexpr StepCost condensate_on_gpu{2.8e-12, ghost_work_on_gpu, 5e-6, 3e-6, 6e-6};

}  // namespace

StepCost step_cost(const topology::Topology& topology, bool on_gpu) {
  const bool is_go = topology.short_range.form == topology::ShortRangeForm::repulsion_12;
  if (on_gpu) return is_go ? go_on_gpu : condensate_on_gpu;
  return is_go ? go_on_cpu : condensate_on_cpu;
}

double step_time_estimate(const StepCost& cost, std::span<const RankStepWork> ranks,
                          std::span<const double> speed) {
  const double mean = speed.empty() ? 1
                                    : std::accumulate(speed.begin(), speed.end(), 0.0) /
                                          static_cast<double>(speed.size());
  double slowest = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankStepWork& demand = ranks[r];
    const double relative = speed.empty() ? 1 : speed[r] / mean;
    const double computing = cost.seconds_per_work / relative *
                             (demand.work + cost.ghost_work * static_cast<double>(demand.ghosts));
    const double exchange =
        demand.peers > 0 ? cost.exchange_seconds + cost.peer_seconds * (demand.peers - 1) : 0;
    slowest = std::max(slowest, computing + exchange);
  }
  return cost.launch_seconds + slowest;
}

std::vector<double> repeated_work(const topology::Topology& topology, const Ownership& owner,
                                  int rank_count) {
  std::vector<double> repeated(static_cast<std::size_t>(rank_count), 0);
  topology::BondedKinds::for_each([&](auto kind) {
    for (const auto& term : terms_of(topology, kind)) {
      const auto residues = term.parts().residues;
      const auto rank_of = [&](int id) { return owner[static_cast<std::size_t>(id)]; };
      for (auto end = residues.begin(); end != residues.end(); ++end) {
        const int rank = rank_of(*end);
        const auto is_mine = [&](int id) { return rank_of(id) == rank; };
        if (std::any_of(residues.begin(), end, is_mine)) continue;
        const auto others =
            std::count_if(residues.begin(), residues.end(), [&](int id) { return !is_mine(id); });
        repeated[static_cast<std::size_t>(rank)] += kind.work * static_cast<double>(others);
      }
    }
  });
  return repeated;
}

std::int64_t contacts_cut(const topology::Topology& topology, const Ownership& owner) {
  std::int64_t cut = 0;
  topology::BondedKinds::for_each([&](auto kind) {
    using Kind = decltype(kind);
    if constexpr (Kind::energy == topology::EnergyPart::contact) {
      for (const auto& contact : terms_of(topology, kind)) {
        const auto is_cut = owner[static_cast<std::size_t>(contact.i)] !=
                            owner[static_cast<std::size_t>(contact.j)];
        cut += is_cut ? 1 : 0;
      }
    }
  });
  return cut;
}

}  // namespace nfold::domain
