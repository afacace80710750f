// Notes on incomplete residues of a structure and on bonds other than peptide bonds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::structure {

/// Returns notes on residues with missing atoms and on covalent links that no model supports
/// (disulfides, isopeptide bonds).
[[nodiscard]] std::vector<std::string> inspect(const Structure& structure);

}  // namespace nfold::structure
