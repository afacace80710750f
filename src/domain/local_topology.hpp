// A rank's share of the topology: which terms it computes and which residues they reach.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "domain/partition.hpp"
#include "topology/topology.hpp"

namespace nfold::domain {

/// The kinds of terms that tie residues however far apart they are; index into LocalTerms::kind.
enum class TermKind : std::size_t {
  bond,
  angle,
  dihedral,
  contact_12_10,
  contact_gaussian,
  restraint
};
inline constexpr std::size_t term_kinds = 6;

/// What follows from topology and ownership for one rank; positions do not matter.
struct LocalTerms {
  /// Ascending indices into the topology's list of each kind: all terms with an owned residue.
  std::array<std::vector<int>, term_kinds> kind;
  /// Ascending ids of the residues not owned that these terms reach.
  std::vector<int> partners;
  /// (ranks) Ascending ids of the owned residues that are partners of that rank; none for itself.
  std::vector<std::vector<int>> wanted;

  [[nodiscard]] const std::vector<int>& of(TermKind k) const {
    return kind[static_cast<std::size_t>(k)];
  }
};

/// Linear in the number of terms. Throws std::invalid_argument unless owner holds one rank in
/// [0, rank_count) for each residue.
[[nodiscard]] LocalTerms local_terms(const topology::Topology& topology, const Ownership& owner,
                                     int rank, int rank_count);

/// Calls visit(index, ids) for each term of a kind, ids being an array of its residues.
template <class Visit>
void for_each_term(const topology::Topology& topology, TermKind kind, Visit&& visit) {
  const auto pairs = [&visit](const auto& terms) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      visit(static_cast<int>(t), std::array{terms[t].i, terms[t].j});
    }
  };
  switch (kind) {
    case TermKind::bond:
      return pairs(topology.bonds);
    case TermKind::contact_12_10:
      return pairs(topology.contacts_12_10);
    case TermKind::contact_gaussian:
      return pairs(topology.contacts_gaussian);
    case TermKind::restraint:
      return pairs(topology.restraints);
    case TermKind::angle:
      for (std::size_t t = 0; t < topology.angles.size(); ++t) {
        const auto& a = topology.angles[t];
        visit(static_cast<int>(t), std::array{a.i, a.j, a.k});
      }
      return;
    case TermKind::dihedral:
      for (std::size_t t = 0; t < topology.dihedrals.size(); ++t) {
        const auto& d = topology.dihedrals[t];
        visit(static_cast<int>(t), std::array{d.i, d.j, d.k, d.l});
      }
      return;
  }
}

}  // namespace nfold::domain
