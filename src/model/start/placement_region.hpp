// Start regions: the whole box, a slab or a sphere, and the cells of a lattice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "model/start/placement.hpp"
#include "model/start/region.hpp"

namespace nfold::start {

/// Size of the folded parts of a system, which need more space than coils.
struct FoldedParts {
  double widest_nm = 0;  ///< diameter of the widest rigid body
  int residues = 0;      ///< in all of them
};

/// Returns the region of all chains. Throws PlacementError for an invalid region, or one larger
/// than the box.
[[nodiscard]] Region placement_region(const topology::Topology& topology,
                                      const PlacementSettings& settings, const FoldedParts& folded);

/// Returns the part of the region where a species begins. widest_nm: width of its widest folded
/// part. Throws PlacementError for a block outside the box, or too narrow.
[[nodiscard]] Region block_region(const Region& whole, const StartBlock& block, double widest_nm);

/// Returns `count` or more equal, nearly cubic cells that fill the region.
[[nodiscard]] std::vector<Region> lattice_cells(const Region& whole, std::size_t count);

/// Returns the density of the whole topology in this volume, such as "2.00 residues/nm3, 366
/// mg/ml".
[[nodiscard]] std::string describe_density(const topology::Topology& topology, double volume_nm3);

}  // namespace nfold::start
