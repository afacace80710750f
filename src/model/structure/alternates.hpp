// Selection of one location per atom if a file contains several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

/// Keeps the alternate location with the highest mean occupancy, the first in the file on a tie,
/// for the whole residue, so that its atoms are consistent; an atom without it keeps its own best
/// one. Returns true if there was a choice. Throws if an atom occurs twice in one location; `name`
/// names the file.
bool keep_best_alternate(RawResidue& residue, const std::string& name);

/// Returns the mean occupancy of the residue's best alternate location; 1 if it has none.
[[nodiscard]] double best_occupancy(const RawResidue& residue);

}  // namespace nfold::structure
