// Residues of the domains in partition.domains.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::setup {

/// Returns the domain of each residue (residues), -1: none; every molecule has its own. Empty
/// without texts. A text is one for structure::ResidueFinder ("A:10-50,60-72,B:1-9"). Throws
/// StructureError for an invalid text and for a chain or range that no molecule has; InputError for
/// a residue in two domains.
[[nodiscard]] std::vector<int> given_domains(const topology::Topology& topology,
                                             const std::vector<std::string>& texts);

}  // namespace nfold::setup
