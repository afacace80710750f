// A rank's share of the topology: which terms it computes and which residues they reach.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "domain/partition.hpp"
#include "topology/topology.hpp"

namespace nfold::domain {

/// How many kinds of terms tie residues however far apart they are: those of topology::BondedKinds.
inline constexpr std::size_t term_kinds = topology::BondedKinds::size;

/// What follows from topology and ownership for one rank; positions do not matter.
struct LocalTerms {
  /// Ascending indices into the topology's list of each kind, in the order of BondedKinds: all
  /// terms with an owned residue.
  std::array<std::vector<int>, term_kinds> kind;
  /// Ascending ids of the residues not owned that these terms reach.
  std::vector<int> partners;
  /// (ranks) Ascending ids of the owned residues that are partners of that rank; none for itself.
  std::vector<std::vector<int>> wanted;

  template <class Kind>
  [[nodiscard]] const std::vector<int>& of() const {
    return kind[topology::BondedKinds::index_of<Kind>()];
  }
};

/// Linear in the number of terms. Throws std::invalid_argument unless owner holds one rank in
/// [0, rank_count) for each residue.
[[nodiscard]] LocalTerms local_terms(const topology::Topology& topology, const Ownership& owner,
                                     int rank, int rank_count);

/// Calls visit(index, ids) for each term of the kind at this place of the list, ids being an array
/// of its residues.
template <class Visit>
void for_each_term(const topology::Topology& topology, std::size_t kind, const Visit& visit) {
  topology::BondedKinds::at(kind, [&](auto of_kind) {
    int index = 0;
    for (const auto& term : terms_of(topology, of_kind)) visit(index++, term.parts().residues);
  });
}

}  // namespace nfold::domain
