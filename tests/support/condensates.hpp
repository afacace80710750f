// A small dense box of chains with every kind of short-range potential, charges and a domain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "model/topology/topology.hpp"

namespace nfold::test {

struct CondensateOptions {
  topology::ShortRangeForm form = topology::ShortRangeForm::ashbaugh_hatch;
  bool domains_only_repel = false;
  bool shifted = true;
  double cutoff_over_sigma = 0;
  system::Box box{{5.2, 4.8, 7.7}};
  int columns = 13, rows = 4, layers = 7;  ///< residues of a chain (along x), chains along y and z
};

/// Straight chains along x, 0.38 nm a bond, about 1.1 nm apart; six types, of which four charged;
/// residues 3 to 8 of every second chain are a domain held by springs between i and i + 2, i + 3.
inline topology::Topology condensate(const CondensateOptions& options) {
  topology::Topology t;
  t.box = options.box;
  t.species.push_back({"chain", options.rows * options.layers});
  constexpr int types = 6;
  constexpr double charges[types] = {0, 1, -1, 0, 0.5, -0.75};
  for (int c = 0; c < options.rows * options.layers; ++c) {
    t.chains.push_back({"C" + std::to_string(c), c * options.columns, options.columns, 0});
    for (int k = 0; k < options.columns; ++k) {
      const int i = t.residue_count();
      const int type = (5 * k + 3 * c + k * k) % types;
      topology::Residue residue{"GLY", k + 1, ' ', c, c, 80.0 + type, charges[type]};
      residue.type = type;
      if (c % 2 == 0 && k >= 3 && k <= 8) residue.domain = c / 2;
      t.residues.push_back(residue);
      const int row = c % options.rows, layer = c / options.rows;
      t.native_nm.push_back({0.2 + 0.38 * k, 0.5 + 1.15 * row, 0.4 + 1.08 * layer});
      if (k > 0) {
        t.bonds.push_back({i - 1, i, 0.38, 8033});
        t.exclusions.emplace_back(i - 1, i);
      }
      for (const int back : {2, 3}) {
        if (residue.domain < 0 || k - back < 3) continue;
        t.restraints.push_back({i - back, i, 0.36 * back, 700});
        t.exclusions.emplace_back(i - back, i);
      }
    }
  }
  std::sort(t.exclusions.items().begin(), t.exclusions.items().end());
  auto& s = t.short_range;
  s.form = options.form;
  s.shifted = options.shifted;
  s.cutoff_over_sigma = options.cutoff_over_sigma;
  s.domains_only_repel = options.domains_only_repel;
  s.cutoff_nm = 1.4137;  // no distance of the lattice
  s.epsilon_kj_mol = 0.8368;
  s.sigma_nm = 0.5;
  for (int a = 0; a < types; ++a) {
    s.type_names.push_back("T" + std::to_string(a));
    s.type_sigma_nm.push_back(0.45 + 0.03 * a);
    s.type_lambda.push_back(a == 5 ? -0.05 : 0.1 + 0.2 * a);
    for (int b = 0; b < types; ++b) {
      const double mu = a + b == 4 ? 4 : a + b == 7 ? 11 : 2;
      const double lambda = (a + b) % 3 == 0 ? -1 : 1;
      const bool is_kim_hummer = options.form == topology::ShortRangeForm::kim_hummer;
      s.pairs.push_back(
          {0.1 + 0.05 * (a + b), 0.40 + 0.006 * (a + b), is_kim_hummer ? lambda : mu});
    }
  }
  t.electrostatics = {1.73, 1.27, 2.2, options.shifted};
  return t;
}

/// Excludes some pairs of adjacent chains, and lets all exclusions but bonds keep their charges.
inline topology::Topology with_charged_exclusions(topology::Topology t) {
  const int columns = t.chains.front().count;
  for (int i = 0; i + columns < t.residue_count(); i += 2) {
    t.exclusions.emplace_back(i, i + columns);
  }
  for (const auto& [i, j] : t.exclusions) {
    if (j - i > 1) t.charged_exclusions.emplace_back(i, j);
  }
  sort_exclusions(t);
  return t;
}

/// Straight strands of two-bead monomers along x, backbone and base in turn: bonds of both kinds,
/// angles of 180 degrees in the backbone, local pairs of bases, exclusions of all three.
inline topology::Topology strands(int monomers = 8, int rows = 4, int layers = 6) {
  const auto pairs = condensate({.columns = 1, .rows = 1, .layers = 1});
  topology::Topology t;
  t.short_range = pairs.short_range;
  t.electrostatics = pairs.electrostatics;
  t.box.length_nm = {5.2, 1.35 * rows, 0.2 + 1.25 * layers};
  t.species.push_back({"strand", rows * layers});
  for (int c = 0; c < rows * layers; ++c) {
    t.chains.push_back({"S" + std::to_string(c), t.residue_count(), 2 * monomers, 0, c});
    for (int k = 0; k < monomers; ++k) {
      const int backbone = t.residue_count(), base = backbone + 1;
      const double y = 0.2 + 1.35 * (c % rows), z = 0.4 + 1.25 * (c / rows);
      for (const int bead : {0, 1}) {
        topology::Residue residue{bead == 0 ? "RP" : "RB", k + 1, ' ', c, c, 126.0, bead - 1.0};
        residue.type = 2 + bead;
        t.residues.push_back(residue);
        t.native_nm.push_back({0.1 + 0.61 * k, y + 0.55 * bead, z});
      }
      const auto exclude = [&t](int i, int j) { t.exclusions.emplace_back(i, j); };
      t.bonds.push_back({backbone, base, 0.54, 2200});
      exclude(backbone, base);
      if (k >= 1) {
        t.bonds.push_back({backbone - 2, backbone, 0.59, 1400});
        exclude(backbone - 2, backbone);
        t.local_pairs.push_back({base - 2, base, 0.4, 12.552, 1.18, 0, 0, -0.004});
        exclude(base - 2, base);
      }
      if (k >= 2) {
        t.angles.push_back({backbone - 4, backbone - 2, backbone, M_PI, 4.2});
        exclude(backbone - 4, backbone);
      }
    }
  }
  sort_exclusions(t);
  return t;
}

/// Chains of condensate() side by side in open space, without domains, with integral and fractional
/// charges.
inline topology::Topology free_chains(topology::ShortRangeForm form, int columns, int rows) {
  CondensateOptions options;
  options.form = form;
  options.box = {};
  options.columns = columns;
  options.rows = rows;
  options.layers = 1;
  auto t = condensate(options);
  t.restraints.clear();
  std::erase_if(t.exclusions.items(),
                [](const std::pair<int, int>& pair) { return pair.second != pair.first + 1; });
  for (auto& residue : t.residues.items()) residue.domain = -1;
  return t;
}

}  // namespace nfold::test
