// Search for residues of a topology by the names that inputs use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/structure/residue_ranges.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Returns a finder for the chains of the topology, which must outlive it; indices are global ids.
/// `key` names the texts in errors.
[[nodiscard]] inline structure::ResidueFinder residue_finder(std::string key,
                                                             const Topology& topology) {
  std::vector<structure::LabelledChain> chains;
  chains.reserve(topology.chains.size());
  for (const Chain& chain : topology.chains) {
    chains.push_back({chain.name, {}, chain.first, chain.count});
  }
  return {std::move(key), std::move(chains), [&topology](int id) {
            const Residue residue = topology.residues[static_cast<std::size_t>(id)];
            return structure::ResidueLabel{residue.number, residue.insertion_code};
          }};
}

}  // namespace nfold::topology
