// Pieces of chains that stand for their residues where a map of a very large system is sought.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/counted_work.hpp"
#include "domain/partition.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::domain {

/// Consecutive residues of one chain each, of which the first tells where the unit is: a few
/// nanometres along a chain, little beside what a rank has of a large system.
struct ResidueUnits {
  std::vector<int> first;  ///< (units) ascending ids
  int residues = 0;        ///< of all units
  int longest = 1;

  /// Units of at most `longest` residues, of all chains.
  ResidueUnits(const topology::Topology& topology, int longest);
  ResidueUnits() = default;

  /// Or else residues stand for themselves.
  [[nodiscard]] bool are_pieces() const { return longest > 1; }
  [[nodiscard]] int count() const { return static_cast<int>(first.size()); }
  [[nodiscard]] int residues_of(std::size_t unit) const {
    return (unit + 1 < first.size() ? first[unit + 1] : residues) - first[unit];
  }
  /// The map that gives each residue to its unit's owner.
  [[nodiscard]] Ownership of_residues(const Ownership& of_units) const;
  /// (units) Owners of the first residues.
  [[nodiscard]] Ownership of_units(const Ownership& of_residues) const;
};

/// (units) Counted work as counted_work() has it, of units at these positions: terms and residues
/// are exact, neighbours expected as if residues were as dense as units are, and charges spread
/// evenly among them.
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology,
                                               const ResidueUnits& units,
                                               std::span<const system::FixedPosition> positions,
                                               double skin_nm, const WorkCosts& costs);

}  // namespace nfold::domain
