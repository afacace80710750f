// Exact sums of weighted positions, and defaults and results of collective variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "system/box.hpp"

namespace nfold::bias {

__extension__ using Wide = __int128;

/// Axis pairs of a symmetric tensor: xx, yy, zz, xy, xz, yz.
inline constexpr std::array<std::array<std::size_t, 2>, 6> axis_pairs{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

/// Moments of a variable's residues, each with an integer weight: sums of weight c by axis and of
/// weight c c by axis pair. c is the unwrapped position minus the origin, in counts of the box.
struct Moments {
  std::array<Wide, 3> first{};
  std::array<Wide, 6> second{};
};

/// Gradient of a variable. Its component at a residue with this weight and position c is
///  weight (stretch (c - centre - rest) nm per count + direction).
struct Gradient {
  std::array<std::int64_t, 3> centre{};  ///< counts from the origin
  std::array<double, 3> rest{};          ///< fraction of a count of the centre
  double stretch = 0;
  std::array<double, 3> direction{};
};
struct Evaluation {
  double value = 0;
  Gradient gradient;
  /// Sum over residues of dvalue/dx_a x_b for each axis pair a, b. The virial is made from it.
  std::array<double, 6> strain{};
};

/// Cartesian vector, in floating point. With DirectValue it serves the sequential reference and
/// states on the host.
using Vector = std::array<double, 3>;
struct DirectValue {
  double value = 0;
  std::vector<Vector> gradient;  ///< (residues of the variable)
};

/// Defaults of a collective variable. Each variable defines besides:
///   name, unit                   used by keys and files
///   about, takes                 help texts: the variable, and the residues that an input gives
///   fits(residues)               true if the number of residues is allowed
///   weights(mass_amu)            integer weights of its residues, in their order
///   evaluate(moments, weights, box)
///   direct(x_nm, mass_amu, box)  x_nm: unwrapped positions of its residues
struct VariableDefaults {
  static constexpr bool is_periodic = false;
  static constexpr double lowest = 0;  ///< lower bound of the values
  /// Images of different molecules have no order, so in a periodic box the residues must be of one
  /// molecule.
  static constexpr bool needs_one_molecule = true;
  /// True if the probability density contains the shell volume, 4 pi value^2.
  static constexpr bool is_radial = false;
};

}  // namespace nfold::bias
