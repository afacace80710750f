// Bonds that a structure or sequence gets because an input asks for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "structure/structure.hpp"

namespace nfold::structure {

/// Fewest residues of a closed chain: a dihedral around it has four.
inline constexpr std::size_t shortest_closed_chain = 5;

/// Marks each gap within a chain as bridged, so that a bond as long as the gap joins both sides.
/// Returns a line that says so; empty if there is no gap.
[[nodiscard]] std::string bridge_gaps(Structure& structure);

/// Closes the only chain, from its last residue to its first. StructureError where there are
/// several chains, or fewer than shortest_closed_chain residues.
void close_chain(Structure& structure);

}  // namespace nfold::structure
