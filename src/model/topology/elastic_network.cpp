// Pairs within each domain, by their reference distance.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/elastic_network.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "model/structure/point.hpp"

namespace nfold::topology {

void add_elastic_network(Topology& topology, double k_kj_mol_nm2, double cutoff_nm) {
  const auto residue = [&](int i) -> Residue {
    return topology.residues[static_cast<std::size_t>(i)];
  };
  std::set<std::pair<int, int>> bonded;
  for (const Bond& bond : topology.bonds) bonded.insert(std::minmax(bond.i, bond.j));
  for (int i = 0; i < topology.residue_count(); ++i) {
    if (residue(i).domain < 0) continue;
    for (int j = i + 1; j < topology.residue_count(); ++j) {
      if (residue(j).domain != residue(i).domain || bonded.contains({i, j})) continue;
      const double distance = structure::distance(topology.native_nm[static_cast<std::size_t>(i)],
                                                  topology.native_nm[static_cast<std::size_t>(j)]);
      if (distance >= cutoff_nm) continue;
      require_distinct_positions(topology, i, j, distance);
      topology.restraints.push_back({i, j, distance, k_kj_mol_nm2});
      topology.exclusions.emplace_back(i, j);
    }
  }
}

}  // namespace nfold::topology
