// First-passage times of independent replicas: survival, rate with its interval, how exponential.
// SPDX-License-Identifier: BSD-3-Clause
//
// A replica is looked at by samples: its time of passage is that of the first sample behind it, and
// it may lie up to an interval of samples before that. One that has not passed by the last sample
// is censored there: it is known to have taken longer, and no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace nfold::thermodynamics {

enum class Passing { folding, unfolding };

/// The times of some replicas under the same conditions.
struct PassageTimes {
  std::vector<double> time_ps;  ///< (replicas) of the passage, or up to which there was none
  std::vector<char> passed;     ///< (replicas) 1 or 0
  double interval_ps = 0;       ///< between samples; 0: times are exact
  double end_ps = 0;            ///< of the last sample
  [[nodiscard]] std::size_t replicas() const { return passed.size(); }
  [[nodiscard]] std::int64_t events() const;
};

/// Samples at equal intervals from time 0 on.
struct NativeFractionSamples {
  std::span<const double> time_ps;          ///< (samples)
  std::span<const double> native_fraction;  ///< (samples, replicas)
};

/// Passages of replicas first, first + stride, ...: for folding the first sample with a native
/// fraction of at least `threshold`, for unfolding of at most. std::invalid_argument without
/// samples or for tables of unequal size.
[[nodiscard]] PassageTimes first_passages(const NativeFractionSamples& samples, std::size_t first,
                                          std::size_t stride, Passing passing, double threshold);

/// Share of replicas that have not passed, right after each time at which one did.
struct SurvivalCurve {
  std::vector<double> time_ps, survival;
  std::vector<double> error;  ///< standard error, by Greenwood's formula
};

/// Kaplan and Meier, J. Am. Stat. Assoc. 53, 457 (1958).
[[nodiscard]] SurvivalCurve kaplan_meier(const PassageTimes& times);
/// Survival and its error at a time: those of the last passage up to then; 1 and 0 before any.
struct Survival {
  double share = 1, error = 0;
};
[[nodiscard]] Survival survival_at(const SurvivalCurve& curve, double time_ps);
/// The first time at which half or fewer are left; not a number if more are.
[[nodiscard]] double median_ps(const SurvivalCurve& curve);

/// The exponential that makes the times most likely: mean = time at risk / events, a passage taking
/// place in the middle of its interval of samples. With a lag, nobody passes before it and the mean
/// counts from there; the lag is the shortest time and one event is spent on it (Epstein and Sobel,
/// Ann. Math. Stat. 25, 373 (1954)).
enum class Lag { none, fitted };
struct ExponentialFit {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Lag lag = Lag::none;
  std::int64_t events = 0;
  double lag_ps = 0;
  double time_at_risk_ps = 0;
  /// Mean and 95 % interval of it, by quantiles of chi-square with 2 events degrees of freedom, 2
  /// more for its lower end if some did not pass. Exact if all passed, else a little too wide (Cox,
  /// Biometrika 40, 354 (1953)). Without events mean and upper end are infinite.
  double mean_ps = unknown, low_ps = unknown, high_ps = unknown;
  /// Largest difference between Kaplan and Meier's survival and the fit's (Kolmogorov's distance).
  double distance = unknown;
  double probability = unknown;  ///< see judge()
  /// Nothing speaks against it at the level of 5 %.
  [[nodiscard]] bool holds() const { return !(probability < 0.05); }
};

/// All but the probability. std::invalid_argument without replicas.
[[nodiscard]] ExponentialFit fit_exponential(const PassageTimes& times, Lag lag);
/// Sets the probability: how often times drawn from the fit, seen and fitted as these were, lie at
/// least as far from their own fit; not a number below five events. Draws are by the seed.
void judge(ExponentialFit& fit, const PassageTimes& times, std::uint64_t seed);

}  // namespace nfold::thermodynamics
