// Chain with contacts between random residues: topologies for tests of ownership.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <string>

#include "model/topology/flexible_angles.hpp"
#include "model/topology/topology.hpp"

namespace nfold::testing_support {

/// Bonds, angles and dihedrals of both kinds, local wells, restraints and springs of biases along
/// one chain, contacts of both kinds and local pairs between any two residues.
inline topology::Topology random_topology(int residues, int contacts, unsigned seed) {
  topology::Topology t;
  t.chains.push_back({"A", 0, residues});
  for (int i = 0; i < residues; ++i) {
    t.residues.push_back({"ALA", i + 1, ' ', 0, 0, 100.0, 0.0});
    t.native_nm.push_back({0.38 * i, 0, 0});
    if (i >= 1) t.bonds.push_back({i - 1, i, 0.38, 20000});
    if (i >= 2) t.angles.push_back({i - 2, i - 1, i, 1.8, 40});
    if (i >= 4) t.restraints.push_back({i - 4, i, 0.9, 700});
    if (i >= 7 && i % 9 == 0) t.bias_springs.push_back({i - 7, i, 1.2, 30});
    if (i >= 3) t.dihedrals.push_back({i - 3, i - 2, i - 1, i, 0.5, 1, 0.5});
    if (i >= 2 && i % 3 == 0) t.local_wells.push_back({i - 2, i, 0.6, 5, 0.015, 0});
    if (i >= 3 && i % 2 == 0) {
      t.flexible_dihedrals.push_back(
          {i - 3, i - 2, i - 1, i, {1.4, 0.9, -0.3, 0.2, -1.3, 0.1, -0.6}, 0.9, 8, 0.15});
    }
  }
  topology::add_flexible_angles(t);
  std::mt19937 random(seed);
  for (int c = 0; residues > 8 && c < contacts; ++c) {
    const int i = static_cast<int>(random() % static_cast<unsigned>(residues - 4));
    const int span = residues - i - 4;
    const int j = i + 4 + static_cast<int>(random() % static_cast<unsigned>(span));
    if (c % 3 == 0) t.local_pairs.push_back({i, j, 0.5, 1, 0.4, 0.2, 1.2});
    if (c % 2 == 0) {
      t.contacts_12_10.push_back({i, j, 0.6, 1});
    } else {
      t.contacts_gaussian.push_back({i, j, 0.6, 1, 0.05, 1.7e-5});
    }
  }
  return t;
}

}  // namespace nfold::testing_support
