// Means in each state of an ensemble, and how sure they are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

struct StateMean {
  double mean = 0;
  /// Standard error: the larger of what the spread of the ladders' own means says, which are
  /// independent of each other, and what the autocorrelation within each says (the statistical
  /// inefficiency of Chodera et al., J. Chem. Theory Comput. 3, 26 (2007)). From 16 ladders on the
  /// spread alone. Not a number with fewer ladders whose samples are as good as fewer than
  /// analysis::fewest_independent_samples.
  double error = 0;
  double independent = 0;  ///< samples that would have such an error: variance / error^2
};

/// (states) of values (samples, as those of `samples`). A ladder has each state once at any time,
/// so its samples of a state are a series, whoever holds it. std::invalid_argument for other
/// tables.
[[nodiscard]] std::vector<StateMean> state_means(const FoldingSamples& samples,
                                                 std::span<const double> values);

}  // namespace nfold::thermodynamics
