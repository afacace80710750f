// Means that a simulation determines with an error, and their rows in the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "estimate/sampling.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"

namespace nfold::setup {

/// Returns the means after `steps` steps, without values and errors. Ensemble: native contacts at
/// the folding temperature, or the radius of gyration. Run: by its observables, the radius of
/// gyration of each species and the mass density in the middle of a slab. times: number of such
/// systems, if the topology is of a part.
[[nodiscard]] std::vector<estimate::SampledMean> planned_means(const input::Settings& settings,
                                                               const topology::Topology& topology,
                                                               std::int64_t steps,
                                                               double times = 1);
/// Returns the means of a run so far, from the tables of its observables. frames: frames in the
/// tables.
[[nodiscard]] std::vector<estimate::SampledMean> known_means(
    const input::Settings& settings, const topology::Topology& topology, std::int64_t frames,
    const std::vector<analysis::Result>& tables);

/// Adds the means with an error to the history, if there is one. Returns messages about failures,
/// which do not fail the run.
[[nodiscard]] std::vector<std::string> record_means(
    const input::Settings& settings, const std::vector<estimate::SampledMean>& means);

}  // namespace nfold::setup
