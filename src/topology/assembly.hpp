// Copies of molecules put together to one system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::topology {

/// A molecule of one or more chains with its terms, ids from 0, and how many of it there are.
struct Part {
  Topology molecule;
  std::string species;  ///< empty: chains keep the names of the structure
  int copies = 1;
};

/// All copies of all parts, part by part, copy by copy; potentials and options of the first part.
/// Chains of a species are called "NAME.3", or "NAME.B.3" if the molecule has several; without a
/// species, those of copy n >= 2 "An", or "A_n" where that would meet another chain. Reference
/// coordinates of the copies stand on one cubic lattice, `spacing_nm` apart; 0: the largest extent
/// of a molecule plus 2 nm. Throws structure::StructureError if there would be more residues than
/// an int counts, or none.
[[nodiscard]] Topology assemble(const std::vector<Part>& parts, double spacing_nm);

}  // namespace nfold::topology
