// Bridges over gaps, and closed chains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/joining.hpp"

#include <fmt/format.h>

#include "model/structure/raw_residue.hpp"
#include "model/structure/tally.hpp"

namespace nfold::structure {

std::string bridge_gaps(Structure& structure) {
  Tally bridged;
  for (Chain& chain : structure.chains) {
    for (std::size_t i = 0; i + 1 < chain.residues.size(); ++i) {
      Residue& here = chain.residues[i];
      const Residue& next = chain.residues[i + 1];
      if (here.bonded_to_next) continue;
      here.bridged_to_next = true;
      bridged.add(describe_gap(here, next, chain.name));
    }
  }
  return bridged.count() == 0 ? "" : bridged.line("gaps bridged by a bond as long as the gap");
}

void close_chain(Structure& structure) {
  if (structure.chains.size() != 1) {
    throw StructureError(fmt::format("{}: cyclic with {} chains; select one by chains",
                                     structure.name, structure.chains.size()));
  }
  Chain& chain = structure.chains.front();
  if (chain.residues.size() < shortest_closed_chain) {
    throw StructureError(fmt::format("{}: cyclic with {} residues; a closed chain has {} or more",
                                     structure.name, chain.residues.size(), shortest_closed_chain));
  }
  chain.is_closed = true;
}

}  // namespace nfold::structure
