// The domains of partition.domains, from texts to residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::setup {

/// (residues) The domain of each, -1: in none; every molecule has its own. Empty for no text. A
/// text is "10-50,60-72", each range with "A:" before it where there are several chains; a chain's
/// name stays until the next. InputError for a text that is none, for a chain or number that no
/// molecule has, and for a residue in two domains.
[[nodiscard]] std::vector<int> given_domains(const topology::Topology& topology,
                                             const std::vector<std::string>& texts);

}  // namespace nfold::setup
