// Chains to simulate, assembled from a file's residues, with a note for each decision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/structure/raw_residue.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {

/// Assembles the selected chains. Throws StructureError if the selection is empty or the file
/// contradicts itself.
[[nodiscard]] Structure assemble(RawStructure raw, const std::string& name,
                                 const Selection& selection);

}  // namespace nfold::structure
