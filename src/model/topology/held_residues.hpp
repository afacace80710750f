// Description of the residues that keep their native shape, and of those that are free.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Returns a line for each range of residues of the first molecule of each species: "A 16-93 (78
/// residues): domain 1, 312 springs" or "A 1-15 (15 residues): free". Counts are of the terms with
/// a residue in the range. Empty if no residue of the system is held; after `most_lines` a line
/// with the number of further ranges.
[[nodiscard]] std::vector<std::string> describe_held_residues(const Topology& topology,
                                                              std::size_t most_lines = 60);

}  // namespace nfold::topology
