// Mutations and modified residues of a structure or sequence, by text: "A:R65K", "S26=SEP".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::structure {

/// Replaces residues. A text is CHAIN:OLD NUMBER NEW without blanks, "A:R65K", or with a name,
/// "A:S26=SEP"; the chain may be left out if there is only one. OLD is a letter or a name, and must
/// be that of the residue. An insertion code stands behind the number ("A:R65BK"). Coordinates
/// stay, with a note. Throws StructureError for any other text, and for a residue mutated twice.
void mutate(Structure& structure, const std::vector<std::string>& mutations);

}  // namespace nfold::structure
