// Kinds of chains, for which profiles, maps and distributions are kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::analysis {

/// Chains of one species with the same sequence. A species that is a structure of several proteins
/// has several kinds.
struct ChainKind {
  std::string name;         ///< species, plus first chain if it has several kinds
  int residues = 0;         ///< residues per chain
  std::vector<int> chains;  ///< indices into Topology::chains, ascending
};

struct ChainKinds {
  std::vector<ChainKind> kinds;  ///< in the order of their first chains
  std::vector<int> of_chain;     ///< (chains) index into kinds

  [[nodiscard]] std::size_t size() const { return kinds.size(); }
  [[nodiscard]] std::size_t of(const topology::Residue& residue) const {
    return static_cast<std::size_t>(of_chain[static_cast<std::size_t>(residue.chain)]);
  }
};

[[nodiscard]] ChainKinds chain_kinds(const topology::Topology& topology);

}  // namespace nfold::analysis
