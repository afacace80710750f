// Copies of a whole system on a cubic lattice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/topology.hpp"

namespace nfold::topology {

/// Chains of copy n >= 2 are called NAMEn ("A2"), or NAME_n where that would meet another chain's
/// name. Copies stand `spacing_nm` apart; 0: the largest extent of one plus 2 nm. Throws
/// structure::StructureError if there would be more residues than an int counts.
[[nodiscard]] Topology replicate(const Topology& one, int copies, double spacing_nm);

}  // namespace nfold::topology
