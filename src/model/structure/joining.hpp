// Bonds added to a structure or sequence because the input requests them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/structure/structure.hpp"

namespace nfold::structure {

/// Fewest residues of a closed chain: a dihedral around it has four.
inline constexpr std::size_t shortest_closed_chain = 5;

/// Marks each gap within a chain as bridged, so that a bond of the gap's length joins both sides.
/// Returns a note on the gaps; empty if there are none.
[[nodiscard]] std::string bridge_gaps(Structure& structure);

/// Bonds the last residue of the only chain to its first. Throws StructureError if there are
/// several chains, or fewer than shortest_closed_chain residues.
void close_chain(Structure& structure);

}  // namespace nfold::structure
