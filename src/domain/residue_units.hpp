// Chain pieces that stand for their residues when very large systems are partitioned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/counted_work.hpp"
#include "domain/partition.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Consecutive residues of one chain each. The first one gives the position of the unit: an error
/// of a few nanometres along a chain, small compared with a rank's part of a large system.
struct ResidueUnits {
  std::vector<int> first;  ///< (units) ascending ids
  int residues = 0;        ///< sum over all units
  int longest = 1;

  /// Cuts all chains into units of at most `longest` residues.
  ResidueUnits(const topology::Topology& topology, int longest);
  ResidueUnits() = default;

  /// False if each residue is a unit.
  [[nodiscard]] bool are_pieces() const { return longest > 1; }
  [[nodiscard]] int count() const { return static_cast<int>(first.size()); }
  [[nodiscard]] int residues_of(std::size_t unit) const {
    return (unit + 1 < first.size() ? first[unit + 1] : residues) - first[unit];
  }
  /// Returns the partition that gives each residue to its unit's owner.
  [[nodiscard]] Ownership of_residues(const Ownership& of_units) const;
  /// (units) Owners of the first residues.
  [[nodiscard]] Ownership of_units(const Ownership& of_residues) const;
};

/// (units) Counted work of units at these positions, like counted_work() of residues: terms and
/// residues are exact, neighbours are expected numbers as if residues were as dense as units, and
/// charges are spread evenly among them.
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology,
                                               const ResidueUnits& units,
                                               std::span<const system::FixedPosition> positions,
                                               double skin_nm, const WorkCosts& costs);

}  // namespace nfold::domain
