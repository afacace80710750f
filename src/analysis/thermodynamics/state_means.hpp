// Means in each state of an ensemble, with standard errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

struct StateMean {
  double mean = 0;
  /// Standard error: the larger of two estimates, from the spread of the means of the ladders,
  /// which are independent, and from the autocorrelation within each (statistical inefficiency of
  /// Chodera et al., J. Chem. Theory Comput. 3, 26 (2007)). From 16 ladders on only the first is
  /// used. NaN for a single sample.
  double error = 0;
  double independent = 0;  ///< effective number of independent samples: variance / error^2
};

/// Returns the means (states) of values (samples), in the order of `samples`. A ladder has each
/// state once at any time, so its samples of a state are a time series, even as replicas exchange
/// states. Throws std::invalid_argument for other tables.
[[nodiscard]] std::vector<StateMean> state_means(const FoldingSamples& samples,
                                                 std::span<const double> values);

}  // namespace nfold::thermodynamics
