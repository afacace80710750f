// One location an atom, where a file gives several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "structure/raw_residue.hpp"

namespace nfold::structure {

/// Keeps the alternate location with the highest mean occupancy, the first in the file on a tie,
/// for the whole residue, so that its atoms fit each other; an atom that lacks it keeps its own
/// best one. True if there was a choice. Throws if an atom comes twice in one location; `name`
/// names the file.
bool keep_best_location(RawResidue& residue, const std::string& name);

/// Mean occupancy of the residue's best alternate location; 1 if it has none.
[[nodiscard]] double best_occupancy(const RawResidue& residue);

}  // namespace nfold::structure
