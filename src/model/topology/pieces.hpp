// Pieces of chains that are not connected by terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Sets Chain::pieces of each chain: the parts that are not connected by bonds, springs or native
/// contacts.
void count_pieces(Topology& topology);

/// Returns a line for each chain that is not connected by bonds and springs, with its pieces and
/// what connects them. Only the first of several copies is listed.
[[nodiscard]] std::vector<std::string> describe_pieces(const Topology& molecule);

}  // namespace nfold::topology
