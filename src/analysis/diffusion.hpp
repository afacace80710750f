// Diffusion coefficient from a mean square displacement, for diffusive lags only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>

namespace nfold::analysis {

/// Result of the fit; NaN if no lag and its half are known to largest_relative_error.
struct Diffusion {
  static constexpr double largest_relative_error = 0.1;
  static constexpr double tolerance_of_exponent = 0.1;

  /// d ln(displacement) / d ln(lag) at the longest known lag: 2 for ballistic motion, 1 for
  /// diffusion, less under crowding.
  double exponent = std::numeric_limits<double>::quiet_NaN();
  /// A sixth of the slope [nm^2/ps] with its standard error, at the lag with the smallest error
  /// among the longest lags with exponent 1 within its error and the tolerance.
  double coefficient = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// Fits the diffusion coefficient. Lags ascend; unknown errors are NaN.
[[nodiscard]] Diffusion diffusion(std::span<const double> lag_ps, std::span<const double> value_nm2,
                                  std::span<const double> error_nm2);

}  // namespace nfold::analysis
