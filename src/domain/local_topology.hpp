// Terms that a rank computes and the residues that they reach.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "domain/partition.hpp"
#include "model/topology/topology.hpp"

namespace nfold::domain {

/// Number of kinds of terms that connect residues at any distance: those of topology::BondedKinds.
inline constexpr std::size_t term_kinds = topology::BondedKinds::size;

/// Terms of one rank, which follow from topology and ownership; positions do not matter.
struct LocalTerms {
  /// Ascending indices into the topology's list of each kind, in the order of BondedKinds: all
  /// terms with an owned residue.
  std::array<std::vector<int>, term_kinds> kind;
  /// Ascending ids of residues that these terms reach and the rank does not own.
  std::vector<int> partners;
  /// (ranks) Ascending ids of the owned residues that are partners of each rank; none for itself.
  std::vector<std::vector<int>> wanted;

  template <class Kind>
  [[nodiscard]] const std::vector<int>& of() const {
    return kind[topology::BondedKinds::index_of<Kind>()];
  }
};

/// Returns the terms of a rank. Linear in the number of terms. Throws std::invalid_argument unless
/// owner holds one rank in [0, rank_count) for each residue.
[[nodiscard]] LocalTerms local_terms(const topology::Topology& topology, const Ownership& owner,
                                     int rank, int rank_count);

/// Calls visit(index, ids) for each term of the kind with this index, ids being an array of its
/// residues.
template <class Visit>
void for_each_term(const topology::Topology& topology, std::size_t kind, const Visit& visit) {
  topology::BondedKinds::at(kind, [&](auto of_kind) {
    int index = 0;
    for (const auto& term : terms_of(topology, of_kind)) visit(index++, term.parts().residues);
  });
}

}  // namespace nfold::domain
