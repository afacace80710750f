// Tabulated angle potential of three residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/potentials/chain_geometry.hpp"

namespace nfold::kernels {

/// U is a cubic spline through equidistant nodes between two angles, and a straight line of a given
/// slope outside. The interface is in kernels/potentials/bond.hpp. Three collinear residues have
/// no force, like those of the harmonic angle.
struct TabulatedAngle {
  static constexpr int nodes = 10;
  static constexpr int ends = 3, parameters = 5 + 2 * nodes, closing = 1;
  static constexpr bool is_central = false, has_strength = false;
  /// first [rad]; inverse_step [1/rad]; low and high [rad]: where the lines begin; outer_slope
  /// [kJ/mol/rad]: slope of the line beyond high, its negative below low; then the energies at the
  /// nodes [kJ/mol] and their second derivatives times step^2 / 6 [kJ/mol].
  enum Parameter {
    first,
    inverse_step,
    low,
    high,
    outer_slope,
    node_energy,
    node_curvature = node_energy + nodes
  };

  /// Returns the energy at an angle and sets its derivative.
  template <class Real>
  static NFOLD_FUNCTION Real value(Real theta, const Real* p, Real& slope) {
    const Real inside = theta < p[low] ? p[low] : (theta > p[high] ? p[high] : theta);
    const Real place = (inside - p[first]) * p[inverse_step];
    // Selects instead of an index, so that every lane does the same in any interval.
    Real begin = 0, y0 = p[node_energy], y1 = p[node_energy + 1], c0 = p[node_curvature],
         c1 = p[node_curvature + 1];
    NFOLD_UNROLL
    for (int k = 1; k < nodes - 1; ++k) {
      const bool here = place >= Real(k);
      begin = here ? Real(k) : begin;
      y0 = here ? p[node_energy + k] : y0;
      y1 = here ? p[node_energy + k + 1] : y1;
      c0 = here ? p[node_curvature + k] : c0;
      c1 = here ? p[node_curvature + k + 1] : c1;
    }
    const Real b = place - begin, a = Real(1) - b;
    const Real spline = a * y0 + b * y1 + (a * a - Real(1)) * a * c0 + (b * b - Real(1)) * b * c1;
    slope = ((y1 - y0) - (Real(3) * a * a - Real(1)) * c0 + (Real(3) * b * b - Real(1)) * c1) *
            p[inverse_step];
    slope = theta < p[low] ? -p[outer_slope] : (theta > p[high] ? p[outer_slope] : slope);
    return spline + slope * (theta - inside);
  }
  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    Real slope = 0;
    return value(angle_between(d), p, slope);
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const BondVector<Real> a(d), b(d + 3);
    const BondPlane<Real> plane(a, b);
    const Bend<Real> bend(a, b, plane);
    Real slope = 0;
    (void)value(bend.theta, p, slope);
    bend_forces(a, b, plane, slope * bend.inverse_across, f);
  }
};

}  // namespace nfold::kernels
