// Which means a simulation will know with an error, and those of finished ones into the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "config/settings.hpp"
#include "plan/sampling.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Of an ensemble the native contacts at the folding temperature, or the radius of gyration; of a
/// run what its observables ask for: each species' radius of gyration, and the mass density in the
/// middle of a slab. After so many steps. times: how many such systems there are, where the
/// topology is of a part. Means and errors are not known yet.
[[nodiscard]] std::vector<plan::SampledMean> planned_means(const config::Settings& settings,
                                                           const topology::Topology& topology,
                                                           std::int64_t steps, double times = 1);
/// The same of a run so far, by the tables of its observables. frames: that are in them.
[[nodiscard]] std::vector<plan::SampledMean> known_means(
    const config::Settings& settings, const topology::Topology& topology, std::int64_t frames,
    const std::vector<analysis::Result>& tables);

/// Adds those with an error to the history, if there is one. Lines about what failed, which harms
/// no run.
[[nodiscard]] std::vector<std::string> record_means(const config::Settings& settings,
                                                    const std::vector<plan::SampledMean>& means);

}  // namespace nfold::setup
