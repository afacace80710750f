// Best superposition of one set of points onto another, and the remaining RMSD.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

namespace nfold::analysis {

using Point = std::array<double, 3>;  ///< [nm]

/// Returns the root mean square distance after the best rotation (no reflection) and translation,
/// unweighted; 0 for no points. Sums run in the order given, so equal input gives equal bits. Both
/// sets have the same length. Rotation by quaternion: Horn, J. Opt. Soc. Am. A 4, 629 (1987), with
/// the key matrix of Theobald, Acta Cryst. A 61, 478 (2005).
[[nodiscard]] double superposed_rmsd(std::span<const Point> reference,
                                     std::span<const Point> moving);

}  // namespace nfold::analysis
