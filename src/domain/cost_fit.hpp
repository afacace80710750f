// Fit of the costs of kinds of work to the busy time of the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "domain/counted_work.hpp"

namespace nfold::domain {

/// Counts of one rank and its busy time in a step, between two assessments.
struct CostSample {
  int rank = 0;
  double busy_seconds = 0;
  double pairs = 0, charged_pairs = 0;  ///< in its neighbour lists
  double residues = 0;
  double term_work = 0;  ///< terms that it computes, in units of topology::BondedKinds
  double ghosts = 0;
};

struct FittedCosts {
  WorkCosts costs;              ///< in the unit in which the prior's pair costs 1
  double seconds_per_unit = 0;  ///< for a rank of mean speed
};

/// Returns the most likely costs, none below 0, of ranks whose speeds may differ. Assumed relative
/// standard deviations: 1/2 for the prior's costs, scaled to the mean, and for speeds, 1/50 for
/// busy seconds. Costs that the samples do not determine stay at the prior. The same bits from the
/// same samples. None if nothing was counted or no rank was busy.
[[nodiscard]] std::optional<FittedCosts> fit_costs(std::span<const CostSample> samples,
                                                   int rank_count, const WorkCosts& prior);

}  // namespace nfold::domain
