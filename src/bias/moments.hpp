// Sums of weighted positions, exact, and what a collective variable makes of them.
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

/// Two axes: xx, yy, zz, xy, xz, yz.
inline constexpr std::array<std::array<std::size_t, 2>, 6> axes_of{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

/// Of the residues of a variable, each with a whole weight: sums of weight times c by axis, and of
/// weight times c c by two axes, c the unwrapped position less the origin, in counts of the box.
struct Moments {
  std::array<Wide, 3> first{};
  std::array<Wide, 6> second{};
};

/// The gradient of a variable at a residue with this weight and position c, by axis:
/// weight (stretch (c - centre - rest) nm per count + direction).
struct Gradient {
  std::array<std::int64_t, 3> centre{};  ///< counts from the origin
  std::array<double, 3> rest{};          ///< of the centre, below a count
  double stretch = 0;
  std::array<double, 3> direction{};
};
struct Evaluation {
  double value = 0;
  Gradient gradient;
  /// By two axes a, b the sum over residues of dvalue/dx_a x_b, of which the virial is made.
  std::array<double, 6> strain{};
};

/// The same in floating point from all positions, for the sequential reference and for states on
/// the host.
using Vector = std::array<double, 3>;
struct DirectValue {
  double value = 0;
  std::vector<Vector> gradient;  ///< (residues of the variable)
};

/// What a variable says unless it says otherwise. Beside these each one has
///   name, unit                   as keys and files need them
///   about, takes                 in words: what it is, and which residues an input gives
///   fits(residues)               whether so many can be given
///   weights(mass_amu)            whole weights of its residues, in their order
///   evaluate(moments, weights, box)
///   direct(x_nm, mass_amu, box)  unwrapped positions of its residues
struct VariableDefaults {
  static constexpr bool is_periodic = false;
  static constexpr double lowest = 0;  ///< of its values
  /// Images of different molecules have no order: in a periodic box it is of one molecule.
  static constexpr bool needs_one_molecule = true;
  /// Its probability holds the volume of a shell, 4 pi value^2.
  static constexpr bool is_radial = false;
};

}  // namespace nfold::bias
