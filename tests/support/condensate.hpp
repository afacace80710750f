// Many disordered chains of mixed residues in a box: topologies for tests of starts and boxes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "model/topology/topology.hpp"

namespace nfold::testing_support {

/// The Ashbaugh-Hatch tables of the benchmark `condensate` (design.md): 20 types, sigma from 0.45
/// to 0.68 nm, lambda from 0 to 1.
inline topology::ShortRange condensate_pairs() {
  topology::ShortRange pairs;
  pairs.form = topology::ShortRangeForm::ashbaugh_hatch;
  pairs.epsilon_kj_mol = 0.8368;
  pairs.cutoff_nm = 2;
  pairs.shifted = true;
  for (int type = 0; type < 20; ++type) {
    pairs.type_sigma_nm.push_back(0.45 + 0.23 * type / 19);
    pairs.type_lambda.push_back(type * 7 % 20 / 19.0);
    pairs.type_names.push_back("T" + std::to_string(type));
  }
  return pairs;
}

/// Adds `copies` chains of `length` residues of random types as one species: bonds of 0.38 nm that
/// exclude their pairs, nothing else.
inline void add_disordered_chains(topology::Topology& t, int copies, int length, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> type(static_cast<std::size_t>(length));
  for (int& one : type) one = static_cast<int>(random() % 20U);
  const int species = static_cast<int>(t.species.size());
  t.species.push_back({"S" + std::to_string(species), copies});
  for (int c = 0; c < copies; ++c) {
    const int chain = static_cast<int>(t.chains.size()), first = t.residue_count();
    t.chains.push_back({"C" + std::to_string(chain), first, length, species});
    for (int i = 0; i < length; ++i) {
      topology::Residue residue{"ALA", i + 1, ' ', chain, chain, 110.0, 0.0};
      residue.type = type[static_cast<std::size_t>(i)];
      t.residues.push_back(residue);
      if (i == 0) continue;
      t.bonds.push_back({first + i - 1, first + i, 0.38, 8033});
      t.exclusions.emplace_back(first + i - 1, first + i);
    }
  }
}

}  // namespace nfold::testing_support
