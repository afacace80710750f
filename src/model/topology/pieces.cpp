// Connected pieces of chains, following bonds, springs and contacts.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/pieces.hpp"

#include <fmt/format.h>

#include <set>

#include "model/structure/residue_ranges.hpp"
#include "model/topology/disjoint_sets.hpp"

namespace nfold::topology {
namespace {

template <typename Terms>
void join(DisjointSets& sets, const Terms& terms) {
  for (const auto& term : terms) {
    sets.join(static_cast<std::size_t>(term.i), static_cast<std::size_t>(term.j));
  }
}

DisjointSets joined_by_bonds(const Topology& topology) {
  DisjointSets sets(topology.residues.size());
  join(sets, topology.bonds);
  join(sets, topology.restraints);
  return sets;
}

int pieces_of(const Chain& chain, DisjointSets& sets) {
  std::set<std::size_t> roots;  // other chains may join its pieces
  for (int id = chain.first; id < chain.first + chain.count; ++id) {
    roots.insert(sets.root(static_cast<std::size_t>(id)));
  }
  return static_cast<int>(roots.size());
}

/// Returns "1-10, 23-40": the ranges of residues of one piece each.
std::string piece_ranges(const Topology& topology, const Chain& chain, DisjointSets& sets) {
  const auto label = [&](int id) {
    const Residue residue = topology.residues[static_cast<std::size_t>(id)];
    return structure::to_text({residue.number, residue.insertion_code});
  };
  constexpr int most_shown = 6;
  std::string text;
  int count = 0, first = chain.first;
  const int end = chain.first + chain.count;
  for (int id = chain.first; id < end; ++id) {
    const bool goes_on = id + 1 < end && sets.root(static_cast<std::size_t>(id)) ==
                                             sets.root(static_cast<std::size_t>(id) + 1);
    if (goes_on) continue;
    if (count < most_shown) {
      text += fmt::format("{}{}-{}", count == 0 ? "" : ", ", label(first), label(id));
    }
    if (count == most_shown) text += ", ...";
    ++count;
    first = id + 1;
  }
  return text;
}

}  // namespace

void count_pieces(Topology& topology) {
  DisjointSets sets = joined_by_bonds(topology);
  join(sets, topology.contacts_12_10);
  join(sets, topology.contacts_gaussian);
  for (Chain& chain : topology.chains) chain.pieces = pieces_of(chain, sets);
}

std::vector<std::string> describe_pieces(const Topology& molecule) {
  DisjointSets sets = joined_by_bonds(molecule);
  std::vector<std::string> lines;
  for (const Chain& chain : molecule.chains) {
    const int pieces = pieces_of(chain, sets);
    if (pieces <= 1) continue;
    lines.push_back(fmt::format(
        "warning: chain {} is {} pieces that no bond joins ({}); {}; gaps: bridge joins them",
        chain.name, pieces, piece_ranges(molecule, chain, sets),
        chain.pieces == 1 ? "only native contacts hold them together"
                          : "they move apart, so its size is not a radius of gyration"));
  }
  return lines;
}

}  // namespace nfold::topology
