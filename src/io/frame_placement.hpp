// Placement of the chains of a frame in the periodic box.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "io/trajectory.hpp"

namespace nfold::io {

enum class Placement {
  unchanged,  ///< positions of the trajectory: chains are whole and leave the box
  wrapped,    ///< each chain is moved by box edges, as a whole, so that its centre is in the box
  /// All chains are moved together so that their common centre is the middle of the box, and then
  /// wrapped. Along a periodic axis the common centre is the circular mean of the masses, so that a
  /// droplet at the border is found; along an open axis it is the centre of mass, and moves to 0.
  centred,
};

/// Moves chains. The centre of a chain is its centre of mass.
class ChainPlacer {
 public:
  ChainPlacer(const TrajectoryDescription& description, Placement placement);

  /// Moves the positions (residues) [nm] of a frame.
  void place(std::span<std::array<float, 3>> positions_nm) const;

 private:
  void place_along(std::size_t axis, std::span<std::array<float, 3>> positions_nm) const;
  [[nodiscard]] double common_centre_nm(std::size_t axis,
                                        std::span<const std::array<float, 3>> positions_nm) const;

  std::vector<double> masses_amu_;
  std::vector<std::size_t> first_;  ///< first residue of each chain, and the number of residues
  std::array<double, 3> box_nm_;
  Placement placement_;
};

}  // namespace nfold::io
