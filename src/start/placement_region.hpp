// Where a start puts its chains: the whole box, a slab or a sphere, and the cells of a lattice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "start/placement.hpp"
#include "start/region.hpp"

namespace nfold::start {

/// What of a system needs more room than a coil.
struct FoldedParts {
  double widest_nm = 0;  ///< of all rigid bodies
  int residues = 0;      ///< in all of them
};

/// The region of all chains. Throws PlacementError for a
/// region that makes no sense or is larger than the box.
[[nodiscard]] Region placement_region(const topology::Topology& topology,
                                      const PlacementSettings& settings, const FoldedParts& folded);

/// The part of the whole box where a species begins. widest_nm: of its folded parts. Throws
/// PlacementError for a block that is not within the box, or too narrow.
[[nodiscard]] Region block_region(const Region& whole, const StartBlock& block, double widest_nm);

/// `count` or more equal cells, about cubes, that fill the whole region.
[[nodiscard]] std::vector<Region> lattice_cells(const Region& whole, std::size_t count);

/// "2.00 residues/nm3, 366 mg/ml" for the whole topology in this volume.
[[nodiscard]] std::string density_text(const topology::Topology& topology, double volume_nm3);

}  // namespace nfold::start
