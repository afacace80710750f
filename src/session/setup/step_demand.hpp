// Work of one rank in a step, for estimates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "domain/rank_counts.hpp"
#include "estimate/step_model.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/setup/memory_estimate.hpp"

namespace nfold::setup {

/// Returns the work of one rank with these counts. topology: only the potentials count.
[[nodiscard]] estimate::StepDemand step_demand(const topology::Topology& topology,
                                               const input::Settings& settings,
                                               const domain::RankCounts& counts);

/// Returns the work of those of nodes x ranks_per_node ranks that the others may wait for.
[[nodiscard]] std::vector<estimate::StepDemand> step_demands(const MemoryEstimator& planner,
                                                             const input::Settings& settings,
                                                             int nodes, int ranks_per_node);

/// Multiplies the pairs of a start by their expected growth, averaged over `picoseconds`: chains
/// that a start lays out as coils, at random, in a slab or in a droplet, gather during a run.
/// Leaves other starts and go models unchanged. src/README.md has the measurement.
void let_chains_gather(estimate::StepDemand& demand, const input::Settings& settings,
                       double picoseconds);
/// Applies let_chains_gather() to all ranks, over all steps of the run.
void let_chains_gather(std::span<estimate::StepDemand> demands, const input::Settings& settings);
/// Lengthens the neighbour lists of random coils on CPU ranks for chains that gather: by half of
/// the expected growth of pairs until the end of the run. In ten runs on one and two cores lists of
/// boxes grew by that to twice as much, those of slabs and droplets did not. Lists on a GPU are as
/// long as the longest, which grows less.
void let_lists_grow(domain::RankCounts& counts, const input::Settings& settings);

}  // namespace nfold::setup
