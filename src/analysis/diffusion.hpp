// Diffusion coefficient from a mean square displacement, where its lags can carry one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>

namespace nfold::analysis {

/// Not numbers where no lag, and none half as long, is known to largest_relative_error.
struct Diffusion {
  static constexpr double largest_relative_error = 0.1;
  static constexpr double tolerance_of_exponent = 0.1;

  /// d ln(displacement) / d ln(lag) at the longest known lag: 2 for ballistic motion, 1 for
  /// diffusion, less in a crowd.
  double exponent = std::numeric_limits<double>::quiet_NaN();
  /// Sixth of the slope [nm^2/ps] with its standard error, at the lag where that is smallest among
  /// those from which on the exponent is 1 within its error and the tolerance.
  double coefficient = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// Lags ascend. Errors that are not known are not numbers.
[[nodiscard]] Diffusion diffusion(std::span<const double> lag_ps, std::span<const double> value_nm2,
                                  std::span<const double> error_nm2);

}  // namespace nfold::analysis
