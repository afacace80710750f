// Centre of a dense slab along a periodic axis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace nfold::analysis {

/// Returns the centre [nm], in 0 .. length, of the dense phase along a periodic axis: first the
/// maximum of the longest density wave (the circular mean, to 1/64 of the length), then the median
/// of the distances to its nearest image, repeated until that is zero. A dilute phase on both sides
/// shifts neither, and the box boundary has no influence. positions_nm: unwrapped or not; at least
/// one.
[[nodiscard]] double slab_centre_nm(std::span<const double> positions_nm, double length_nm);

}  // namespace nfold::analysis
