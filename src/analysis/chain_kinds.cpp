// Grouping of chains by species and sequence.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/chain_kinds.hpp"

#include <algorithm>
#include <map>

namespace nfold::analysis {
namespace {

using topology::Chain;
using topology::Topology;

bool are_alike(const Topology& topology, const Chain& a, const Chain& b) {
  if (a.species != b.species || a.count != b.count) return false;
  const auto first = topology.residues.begin();
  return std::equal(first + a.first, first + a.first + a.count, first + b.first,
                    [](const auto& r, const auto& s) { return r.name == s.name; });
}

}  // namespace

ChainKinds chain_kinds(const Topology& topology) {
  ChainKinds found;
  const auto first_chain = [&topology](const ChainKind& kind) -> const Chain& {
    return topology.chains[static_cast<std::size_t>(kind.chains.front())];
  };
  for (std::size_t c = 0; c < topology.chains.size(); ++c) {
    const auto& chain = topology.chains[c];
    auto kind = std::ranges::find_if(found.kinds, [&](const ChainKind& known) {
      return are_alike(topology, first_chain(known), chain);
    });
    if (kind == found.kinds.end()) {
      kind = found.kinds.insert(kind, {"", chain.count, {}});
    }
    kind->chains.push_back(static_cast<int>(c));
    found.of_chain.push_back(static_cast<int>(kind - found.kinds.begin()));
  }
  std::map<int, int> kinds_of_species;
  for (const auto& kind : found.kinds) ++kinds_of_species[first_chain(kind).species];
  for (auto& kind : found.kinds) {
    const auto& chain = first_chain(kind);
    const auto species = static_cast<std::size_t>(chain.species);
    const std::string name =
        species < topology.species.size() ? topology.species[species].name : std::string();
    const bool alone = kinds_of_species[chain.species] == 1 && !name.empty();
    kind.name = alone ? name : name + (name.empty() ? "" : " ") + chain.name;
  }
  return found;
}

}  // namespace nfold::analysis
