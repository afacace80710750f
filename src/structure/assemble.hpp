// From a file's residues to the chains that are simulated, with a note for all that was decided.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "structure/raw_residue.hpp"
#include "structure/structure.hpp"

namespace nfold::structure {

/// Throws StructureError if the selection finds nothing or the file contradicts itself.
[[nodiscard]] Structure assemble(RawStructure raw, const std::string& name,
                                 const Selection& selection);

}  // namespace nfold::structure
