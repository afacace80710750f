// Work of a run beside its steps, counted from its input.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "estimate/job_time.hpp"
#include "input/settings.hpp"
#include "session/setup/memory_estimate.hpp"

namespace nfold::setup {

/// Returns the work of a run of `residues` residues. planner: has the system, or the part that
/// stands for it.
[[nodiscard]] estimate::JobWork count_job_work(const input::Settings& settings,
                                               const MemoryEstimator& planner,
                                               std::int64_t residues);
/// Returns the work beside steps, samples and analysis of an ensemble: its process, its first
/// states and their minimisation, frames of its replicas and checkpoints.
[[nodiscard]] estimate::JobWork count_ensemble_work(const input::Settings& settings,
                                                    std::int64_t residues_of_replica);

/// Returns how many steps from 0 to `last` are multiples of any interval; 0 is no interval.
[[nodiscard]] std::int64_t count_events(std::int64_t last, std::int64_t a, std::int64_t b,
                                        std::int64_t c);

}  // namespace nfold::setup
