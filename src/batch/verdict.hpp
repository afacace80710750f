// Whether a target folds: the verdict and its reason in words, from what was measured.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "analysis/sampling_limits.hpp"

namespace nfold::batch {

/// What both parts of a target found. Not a number: not known. Times in ns.
struct FoldingFindings {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::int64_t replicas = 0, folded = 0;  ///< that began unfolded, and those that folded
  double end_ns = 0;                      ///< how long each was followed
  double median_ns = unknown;             ///< by which half had folded
  /// Of an exponential fit with censoring, and the lower end of its 95 % interval.
  double mean_ns = unknown, mean_low_ns = unknown;
  double nearest_native_fraction = unknown;  ///< the largest Q of those that did not fold

  double round_trips = 0;
  double starts_differ_in_q = unknown;
  std::string lack_of_samples;  ///< why the ladder gives no folding temperature; empty: it does
  double budget_gpu_seconds = 0;
};

/// The free energy has converged if no samples lack, both starts agree and so many round trips were
/// made.
inline constexpr double fewest_round_trips = analysis::fewest_round_trips;
[[nodiscard]] bool has_converged(const FoldingFindings& found);

struct FoldingVerdict {
  std::string verdict;  ///< "folds", "partly" or "not in this time"
  std::string reason;
};

/// "folds": at least half of the replicas did; "partly": fewer, but some; else "not in this time".
/// How many times the steps half of them need follows from the fit: ln 2 of its mean over the time,
/// and where none folded at least ln 2 of the lower end. A budget buys steps in proportion.
[[nodiscard]] FoldingVerdict verdict_of(const FoldingFindings& found);

}  // namespace nfold::batch
