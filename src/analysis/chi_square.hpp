// Chi-square distribution, for confidence intervals of counts and rates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::analysis {

/// Returns P(shape, x) = gamma(shape, x) / Gamma(shape), which rises from 0 to 1 with x: by its
/// series below shape + 1, by the continued fraction above (Abramowitz and Stegun, 6.5.29 and
/// 6.5.31). Throws std::invalid_argument unless shape > 0 and x >= 0.
[[nodiscard]] double regularised_gamma(double shape, double x);

/// Returns the value that chi-square with these degrees of freedom stays below with this
/// probability. Throws std::invalid_argument unless 0 < probability < 1 and degrees > 0.
[[nodiscard]] double chi_square_quantile(double probability, double degrees);

}  // namespace nfold::analysis
