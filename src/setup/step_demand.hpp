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

}  // namespace nfold::setup
