// Critical point from concentrations of two phases at several temperatures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "analysis/replica_series.hpp"

namespace nfold::analysis {

/// Concentrations of coexisting phases at one temperature, in any unit.
struct CoexistencePoint {
  double temperature_kelvin;
  double dense, dense_error;
  double dilute, dilute_error;
};

/// Critical point, with standard errors, and the laws that it comes from:
/// dense - dilute = amplitude (1 - T / Tc)^beta and (dense + dilute) / 2 = critical + slope (Tc -
/// T).
struct CriticalPoint {
  double temperature_kelvin, temperature_error_kelvin;
  double concentration, concentration_error;
  double amplitude, slope;
  /// Squares of the deviations over their errors, of both laws, and the number of points beyond the
  /// four numbers of the laws.
  double squares;
  int freedom;
  std::string obstacle;  ///< why there is no critical point; else empty
};

/// Exponent of the order parameter of the Ising model in three dimensions: Rowlinson and Widom,
/// Molecular Theory of Capillarity (1982).
inline constexpr double order_parameter_exponent = 0.325;
/// Fewest temperatures: two determine both laws, and the third tests them.
inline constexpr int fewest_temperatures = 3;

/// Fits both laws by weighted least squares: that of the order parameter as
/// (dense - dilute)^(1/beta), which is linear in T, and that of rectilinear diameters. Errors that
/// are too small for the scatter are scaled up. Points need errors above zero.
[[nodiscard]] CriticalPoint fit_critical_point(std::span<const CoexistencePoint> points);

}  // namespace nfold::analysis
