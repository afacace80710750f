// Notes on a structure's incomplete residues and on its bonds other than peptide bonds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "structure/structure.hpp"

namespace nfold::structure {

/// Notes on residues with missing atoms and on covalent links that no model here has (disulfides,
/// isopeptide bonds).
[[nodiscard]] std::vector<std::string> inspect(const Structure& structure);

}  // namespace nfold::structure
