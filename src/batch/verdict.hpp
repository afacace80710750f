// Folding verdict of a target and its reason, and the reason of one that runs to a wanted error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace nfold::batch {

/// Findings of the ladder and the kinetics of a target. NaN: unknown. Times in ns.
struct FoldingFindings {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t replicas = 0, folded = 0;  ///< Replicas started unfolded, and those that folded.
  double end_ns = 0;                      ///< Simulated time of each replica.
  double median_ns = unknown;             ///< Time at which half of the replicas had folded.
  /// Mean folding time of an exponential fit with censoring, and the lower end of its 95 %
  /// interval.
  double mean_ns = unknown, mean_low_ns = unknown;
  double nearest_native_fraction = unknown;  ///< Largest Q of replicas that did not fold.

  double round_trips = 0;
  double starts_differ_in_q = unknown;
  std::string lack_of_samples;  ///< Reason for a missing folding temperature. Empty: not missing.
  double budget_gpu_seconds = 0;
};

/// True if the free energy has converged: sufficient samples, agreement of both starts, and at
/// least analysis::fewest_round_trips.
[[nodiscard]] bool has_converged(const FoldingFindings& found);

struct FoldingVerdict {
  std::string verdict;  ///< "folds", "partly" or "not in this time"
  std::string reason;
};

/// Returns "folds" if at least half of the replicas folded, "partly" if some did, else "not in this
/// time". The reason includes the factor of steps after which half would fold: ln 2 of the fitted
/// mean over the simulated time or, if none folded, the same of its lower end as a bound. Steps are
/// proportional to the budget.
[[nodiscard]] FoldingVerdict judge_folding(const FoldingFindings& found);

/// Describes the relative standard error of a quantity. If it exceeds the wanted one, the text
/// includes the factor of steps that it needs. wanted: 0 for none.
[[nodiscard]] std::string describe_standard_error(const std::string& quantity, double error,
                                                  double wanted);

}  // namespace nfold::batch
