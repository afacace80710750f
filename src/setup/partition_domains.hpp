// The domains of partition.domains, from texts to residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::setup {

/// (residues) The domain of each, -1: in none; every molecule has its own. Empty for no text. A
/// text is one for structure::ResidueFinder ("A:10-50,60-72,B:1-9"). StructureError for a text that
/// is none and for a chain or range that no molecule has; InputError for a residue in two domains.
[[nodiscard]] std::vector<int> given_domains(const topology::Topology& topology,
                                             const std::vector<std::string>& texts);

}  // namespace nfold::setup
