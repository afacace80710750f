// Which row of a force field's table a residue takes, and what is lost where it is its parent's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "config/residue_table.hpp"
#include "structure/structure.hpp"

namespace nfold::topology {

/// The row of the residue's own name in the file ("SEP"), else of its parent ("SER"); null:
/// neither.
[[nodiscard]] const config::ResidueParameters* row_for(const structure::Residue& residue,
                                                       const config::ResidueTable& table);

/// A line on residues that count as their parents, with the charge that is lost by it, and a line
/// on those with rows of their own. Without a table there are no charges to lose.
[[nodiscard]] std::vector<std::string> describe_modified_residues(
    const structure::Structure& structure, const config::ResidueTable* table);

/// "SEP, TPO": rows beside the twenty residues' that no residue of these structures takes.
[[nodiscard]] std::string unused_rows(const config::ResidueTable& table,
                                      const std::vector<int>& used_rows);

}  // namespace nfold::topology
