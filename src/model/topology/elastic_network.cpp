// Pairs within each domain, by their reference distance.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/elastic_network.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "model/structure/point.hpp"

namespace nfold::topology {

void add_elastic_network(Topology& topology, const std::vector<input::Network>& networks) {
  const auto residue = [&](int i) -> Residue {
    return topology.residues[static_cast<std::size_t>(i)];
  };
  std::set<std::pair<int, int>> joined(topology.exclusions.begin(), topology.exclusions.end());
  for (const Bond& bond : topology.bonds) joined.insert(std::minmax(bond.i, bond.j));
  for (int i = 0; i < topology.residue_count(); ++i) {
    const Residue here = residue(i);
    if (here.domain < 0) continue;
    const input::Network& network = networks.at(static_cast<std::size_t>(here.chain));
    for (int j = i + 1; j < topology.residue_count(); ++j) {
      const Residue other = residue(j);
      if (other.domain != here.domain || joined.contains({i, j})) continue;
      if (other.segment == here.segment && j - i < network.min_separation) continue;
      const double distance = structure::distance(topology.native_nm[static_cast<std::size_t>(i)],
                                                  topology.native_nm[static_cast<std::size_t>(j)]);
      if (distance >= network.cutoff_nm) continue;
      require_distinct_positions(topology, i, j, distance);
      topology.restraints.push_back({i, j, distance, network.k_kj_mol_nm2});
      if (network.excludes_pairs) topology.exclusions.emplace_back(i, j);
    }
  }
}

}  // namespace nfold::topology
