// Mean of a quantity over independent replicas: equilibration, autocorrelation and error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace nfold::analysis {

/// Mean with its standard error. NaN: not known.
struct SampledEstimate {
  double value, error;
  double independent;  ///< effective number of independent samples: variance / error^2
};

struct ReplicaMean {
  SampledEstimate estimate;
  /// Consecutive samples of a replica per independent one: 1 + 2 tau, from the autocorrelation of
  /// all replicas about their common mean up to its first zero.
  double inefficiency;
};

/// Returns the mean of (times, replicas) values of replicas in one state. The error is the larger
/// of two: from the autocorrelation, and from the spread of the replicas' means. Throws
/// std::invalid_argument if there are no whole times.
[[nodiscard]] ReplicaMean replica_mean(std::span<const double> values, std::size_t replicas);

/// Returns the number of times to leave out as equilibration: the multiple of `stride` up to half
/// of all times after which the standard error by autocorrelation is smallest (marginal standard
/// error rule: White, Simulation 69, 323 (1997)).
[[nodiscard]] std::size_t equilibration_times(std::span<const double> values, std::size_t replicas,
                                              std::size_t stride);

}  // namespace nfold::analysis
