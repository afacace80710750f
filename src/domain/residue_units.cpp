// Chains cut into units, and the work of their residues.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/residue_units.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace nfold::domain {

ResidueUnits::ResidueUnits(const topology::Topology& topology, int longest_unit)
    : residues(topology.residue_count()), longest(longest_unit) {
  if (longest < 1) throw std::invalid_argument("units of " + std::to_string(longest) + " residues");
  for (const auto& chain : topology.chains) {
    for (int at = 0; at < chain.count; at += longest) first.push_back(chain.first + at);
  }
}

Ownership ResidueUnits::of_residues(const Ownership& of_units) const {
  Ownership owner;
  owner.reserve(static_cast<std::size_t>(residues));
  for (std::size_t unit = 0; unit < of_units.size(); ++unit) {
    owner.insert(owner.end(), static_cast<std::size_t>(residues_of(unit)), of_units[unit]);
  }
  return owner;
}

Ownership ResidueUnits::of_units(const Ownership& of_residues) const {
  Ownership owner;
  owner.reserve(first.size());
  for (const int id : first) owner.push_back(of_residues[static_cast<std::size_t>(id)]);
  return owner;
}

std::vector<double> counted_work(const topology::Topology& topology, const ResidueUnits& units,
                                 std::span<const system::FixedPosition> positions, double skin_nm,
                                 const WorkCosts& costs) {
  if (positions.size() != units.first.size()) {
    throw std::invalid_argument("work of " + std::to_string(units.first.size()) +
                                " units from positions of " + std::to_string(positions.size()));
  }
  std::vector<double> work(positions.size(), 0), charged(positions.size(), 0);
  double all_charged = 0;
  std::size_t unit = 0;
  int id = 0;
  for (const auto& residue : topology.residues) {
    if (unit + 1 < units.first.size() && id == units.first[unit + 1]) ++unit;
    charged[unit] += residue.charge_e != 0 ? 1 : 0;
    all_charged += residue.charge_e != 0 ? 1 : 0;
    ++id;
  }
  // Terms are in the order of chains: most ends are in the unit of the previous end.
  std::size_t last = 0;
  const auto unit_of = [&units, &last](int residue) {
    const int begin = units.first[last];
    if (residue < begin || residue >= begin + units.residues_of(last)) {
      const auto behind = std::upper_bound(units.first.begin(), units.first.end(), residue);
      last = static_cast<std::size_t>(behind - units.first.begin()) - 1;
    }
    return last;
  };
  topology::BondedKinds::for_each([&](auto kind) {
    for (const auto& term : terms_of(topology, kind)) {
      for (const int end : term.parts().residues) work[unit_of(end)] += costs.term * kind.work;
    }
  });
  const double mean = static_cast<double>(units.residues) / static_cast<double>(units.count());
  const auto add_pairs = [&](double range_nm, const auto& cost_of_neighbour) {
    const auto near = expected_neighbours(topology.box, positions, range_nm);
    for (std::size_t u = 0; u < work.size(); ++u) {
      work[u] += cost_of_neighbour(u) * (mean * near[u] + units.residues_of(u) - 1);
    }
  };
  add_pairs(topology.short_range.cutoff_nm + skin_nm,
            [&](std::size_t u) { return costs.pair * units.residues_of(u); });
  for (std::size_t u = 0; u < work.size(); ++u) work[u] += costs.residue * units.residues_of(u);
  if (!topology.electrostatics.acts()) return work;
  const double charged_share = all_charged / units.residues;
  add_pairs(topology.electrostatics.cutoff_nm + skin_nm,
            [&](std::size_t u) { return costs.charged_pair * charged[u] * charged_share; });
  return work;
}

}  // namespace nfold::domain
