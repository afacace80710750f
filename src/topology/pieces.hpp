// Pieces of chains that no term holds together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::topology {

/// Sets Chain::pieces of each chain: the parts that neither bonds, springs nor native contacts
/// join.
void count_pieces(Topology& topology);

/// A line for each chain that bonds and springs do not hold together, with its pieces and what
/// holds them; of copies the first.
[[nodiscard]] std::vector<std::string> describe_pieces(const Topology& molecule);

}  // namespace nfold::topology
