// Pairs within each domain, by their reference distance.
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/elastic_network.hpp"

#include <fmt/format.h>

#include "structure/point.hpp"
#include "structure/structure.hpp"

namespace nfold::topology {

void add_elastic_network(Topology& topology, double k_kj_mol_nm2, double cutoff_nm) {
  constexpr double coincident_nm = 1e-4;
  const auto residue = [&](int i) -> Residue {
    return topology.residues[static_cast<std::size_t>(i)];
  };
  for (int i = 0; i < topology.residue_count(); ++i) {
    if (residue(i).domain < 0) continue;
    for (int j = i + 1; j < topology.residue_count(); ++j) {
      const bool bonded = j == i + 1 && residue(i).segment == residue(j).segment;
      if (residue(j).domain != residue(i).domain || bonded) continue;
      const double distance = structure::distance(topology.native_nm[static_cast<std::size_t>(i)],
                                                  topology.native_nm[static_cast<std::size_t>(j)]);
      if (distance >= cutoff_nm) continue;
      if (distance < coincident_nm) {
        throw structure::StructureError(fmt::format(
            "{} and {} stand in the same place ({:.6f} nm apart); correct the coordinates",
            residue_label(topology, i), residue_label(topology, j), distance));
      }
      topology.restraints.push_back({i, j, distance, k_kj_mol_nm2});
      topology.exclusions.emplace_back(i, j);
    }
  }
}

}  // namespace nfold::topology
