// Seconds of each kind of work, fitted to what ranks were busy with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>

#include "domain/counted_work.hpp"

namespace nfold::domain {

/// What one rank counted and was busy with in a step, between two assessments.
struct CostSample {
  int rank = 0;
  double busy_seconds = 0;
  double pairs = 0, charged_pairs = 0;  ///< of its lists
  double residues = 0;
  double term_work = 0;  ///< of the terms that it computes, as topology::BondedKinds counts them
  double ghosts = 0;
};

struct FittedCosts {
  WorkCosts costs;              ///< in the unit in which the prior's pair is 1
  double seconds_per_unit = 0;  ///< of a rank of usual speed
};

/// The likeliest costs, none below 0, of ranks whose speeds may differ: the prior's, scaled to the
/// mean, are taken to be right to a half, speeds too, busy seconds to a fiftieth. Where
/// samples do not tell kinds of work apart, the prior stays. The same bits from the same samples.
/// None where nothing was counted or nobody was busy.
[[nodiscard]] std::optional<FittedCosts> fit_costs(std::span<const CostSample> samples,
                                                   int rank_count, const WorkCosts& prior);

}  // namespace nfold::domain
