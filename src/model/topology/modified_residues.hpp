// Parameter rows of modified residues, and charges lost if the parent's row is used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/residue_table.hpp"
#include "model/structure/structure.hpp"

namespace nfold::topology {

/// Returns the row of the residue's own name in the file ("SEP"), else of its parent ("SER"), else
/// null.
[[nodiscard]] const input::ResidueParameters* row_for(const structure::Residue& residue,
                                                      const input::ResidueTable& table);

/// Returns a line on residues that use their parent's row, with the charge that is lost, and a line
/// on those with rows of their own. Without a table no charges are lost.
[[nodiscard]] std::vector<std::string> describe_modified_residues(
    const structure::Structure& structure, const input::ResidueTable* table);

/// Returns "SEP, TPO": rows other than those of the twenty residues that no residue uses.
[[nodiscard]] std::string unused_rows(const input::ResidueTable& table,
                                      const std::vector<int>& used_rows);

}  // namespace nfold::topology
