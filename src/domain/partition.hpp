// Who owns which residue: partitioners make the map from residue to rank that the engine takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::domain {

/// owner[id]: the rank that owns residue id.
using Ownership = std::vector<int>;

/// Counted work of each residue (bonded terms, contacts, a constant for pairs and integration).
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology);

/// Consecutive residues to consecutive ranks, equal sums of work. A rank may get none.
[[nodiscard]] Ownership residue_ranges(std::span<const double> work, int rank_count);

/// Any map, from a seed: for tests of everything that must not depend on the map.
[[nodiscard]] Ownership random_owners(int residue_count, int rank_count, std::uint64_t seed);

}  // namespace nfold::domain
