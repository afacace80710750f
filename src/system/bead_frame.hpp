// Positions of beads as a file states them, before they are matched with a system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

namespace nfold::system {

/// One configuration of a file: its beads in the file's order.
struct BeadFrame {
  /// Largest coordinate that readers accept [nm].
  static constexpr double largest_coordinate_nm = 1e5;

  std::vector<std::array<double, 3>> positions_nm;
  std::array<double, 3> box_nm{};          ///< rectangular box of the file; 0: none along that axis
  std::vector<std::string> residue_names;  ///< (beads) as in the file; empty: the format has none
  std::vector<int> chains;  ///< (beads) number of the file's chain, ascending; empty: none
};

}  // namespace nfold::system
