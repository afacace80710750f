// Where along a periodic axis a dense slab lies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace nfold::analysis {

/// Centre [nm], in 0 .. length, of what is dense along a periodic axis: first the maximum of the
/// density's longest wave (the circular mean, to 1/64 of the length), then the median of the
/// distances to the nearest image of it, until that is zero. A dilute phase on both sides moves
/// neither, and the border of the box plays no part. places_nm: unwrapped or not; at least one.
[[nodiscard]] double slab_centre_nm(std::span<const double> places_nm, double length_nm);

}  // namespace nfold::analysis
