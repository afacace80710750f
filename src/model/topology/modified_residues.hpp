// Parameter rows of modified residues, and charges lost if the parent's row is used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/force_field.hpp"
#include "model/structure/structure.hpp"

namespace nfold::topology {

/// Returns the bead type of the residue's own name in the file ("SEP"), else of its parent ("SER"),
/// else -1.
[[nodiscard]] int type_for(const structure::Residue& residue, const input::ForceField& field);

/// Returns a line on residues of proteins that use their parent's bead, with the charge that is
/// lost, and a line on those with beads of their own. Without a force field no charges are lost.
[[nodiscard]] std::vector<std::string> describe_modified_residues(
    const structure::Structure& structure, const input::ForceField* field);

/// Returns "SEP, TPO": beads other than those of the twenty residues that no residue uses.
[[nodiscard]] std::string unused_beads(const input::ForceField& field,
                                       const std::vector<int>& used_types);

}  // namespace nfold::topology
