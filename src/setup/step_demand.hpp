// What one rank has to do in a step, from what was counted: for predictions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/settings.hpp"
#include "domain/rank_counts.hpp"
#include "plan/step_model.hpp"
#include "setup/memory_plan.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Of one rank with these counts; of `topology` only the potentials count.
[[nodiscard]] plan::StepDemand step_demand(const topology::Topology& topology,
                                           const config::Settings& settings,
                                           const domain::RankCounts& counts);

/// Of one of nodes x ranks_per_node ranks that are alike.
[[nodiscard]] plan::StepDemand step_demand(const MemoryPlanner& planner,
                                           const config::Settings& settings, int nodes,
                                           int ranks_per_node);

/// Chains that a start lays out as coils, at random, in a slab or in a droplet, gather while they
/// run: multiplies the pairs of that start by what they are expected to be over so many picoseconds
/// from it on, in the mean. Leaves other starts and go models as they are. input/PLAN.md has the
/// measurement.
void let_chains_gather(plan::StepDemand& demand, const config::Settings& settings,
                       double picoseconds);
/// The same over all steps of the run.
void let_chains_gather(plan::StepDemand& demand, const config::Settings& settings);
/// Neighbours of random coils as lists have to hold them while they gather, on cores: half of what
/// pairs become more until the end of the run. Of ten runs on one and two cores lists of boxes grew
/// by that and up to twice as much, those of slabs and droplets not. A GPU's lists are as long as
/// the longest, which grows less.
void let_lists_grow(domain::RankCounts& counts, const config::Settings& settings);

}  // namespace nfold::setup
