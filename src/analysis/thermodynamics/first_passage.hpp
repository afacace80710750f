// First-passage times of independent replicas: survival, rate and test of the fit.
// SPDX-License-Identifier: BSD-3-Clause
//
// Replicas are observed by samples: the passage time is that of the first sample after the passage,
// which may be up to one interval earlier. A replica that has not passed by the last sample is
// censored: its time is only known to be longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace nfold::thermodynamics {

enum class Passing { folding, unfolding };

/// First-passage times of some replicas under the same conditions.
struct PassageTimes {
  std::vector<double> time_ps;  ///< (replicas) of the passage, or of the censoring
  std::vector<char> passed;     ///< (replicas) 1 or 0
  double interval_ps = 0;       ///< between samples; 0: exact times
  double end_ps = 0;            ///< time of the last sample
  [[nodiscard]] std::size_t replicas() const { return passed.size(); }
  [[nodiscard]] std::int64_t events() const;
};

/// Samples at equal intervals from time 0 on.
struct NativeFractionSamples {
  std::span<const double> time_ps;          ///< (samples)
  std::span<const double> native_fraction;  ///< (samples, replicas)
};

/// Finds the first passages of replicas first, first + stride, ...: the first sample with a native
/// fraction of at least `threshold` for folding, of at most `threshold` for unfolding. Throws
/// std::invalid_argument without samples or for tables of unequal size.
[[nodiscard]] PassageTimes first_passages(const NativeFractionSamples& samples, std::size_t first,
                                          std::size_t stride, Passing passing, double threshold);

/// Fraction of replicas that have not passed, right after each passage time.
struct SurvivalCurve {
  std::vector<double> time_ps, survival;
  std::vector<double> error;  ///< standard error, by Greenwood's formula
};

/// Computes the estimator of Kaplan and Meier, J. Am. Stat. Assoc. 53, 457 (1958).
[[nodiscard]] SurvivalCurve kaplan_meier(const PassageTimes& times);
/// Survival and its error at a time: those of the latest passage until then; 1 and 0 before any.
struct Survival {
  double share = 1, error = 0;
};
[[nodiscard]] Survival survival_at(const SurvivalCurve& curve, double time_ps);
/// Returns the first time at which half or fewer are left; NaN if more are.
[[nodiscard]] double median_ps(const SurvivalCurve& curve);

/// Maximum-likelihood exponential fit: mean = time at risk / events, each passage in the middle of
/// its sampling interval. With a lag, none passes before it and the mean counts from there; the lag
/// is the shortest time and uses up one event (Epstein and Sobel, Ann. Math. Stat. 25, 373 (1954)).
enum class Lag { none, fitted };
struct ExponentialFit {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Lag lag = Lag::none;
  std::int64_t events = 0;
  double lag_ps = 0;
  double time_at_risk_ps = 0;
  /// Mean and its 95 % interval, from quantiles of chi-square with 2 events degrees of freedom, 2
  /// more for the lower end if some did not pass. Exact if all passed, else slightly too wide (Cox,
  /// Biometrika 40, 354 (1953)). Without events mean and upper end are infinite.
  double mean_ps = unknown, low_ps = unknown, high_ps = unknown;
  /// Largest difference between the Kaplan-Meier survival and the fit's (Kolmogorov distance).
  double distance = unknown;
  double probability = unknown;  ///< see test_fit()
  /// True if the fit is not rejected at the 5 % level.
  [[nodiscard]] bool holds() const { return !(probability < 0.05); }
};

/// Fits all but the probability. Throws std::invalid_argument without replicas.
[[nodiscard]] ExponentialFit fit_exponential(const PassageTimes& times, Lag lag);
/// Sets the probability: the fraction of time sets drawn from the fit, observed and fitted
/// likewise, that are at least as far from their own fit; NaN below five events. The seed
/// determines the draws.
void test_fit(ExponentialFit& fit, const PassageTimes& times, std::uint64_t seed);

}  // namespace nfold::thermodynamics
