// Grows a chain residue by residue as a self-avoiding walk among what is placed already.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "start/excluded_volume.hpp"
#include "start/hard_core.hpp"
#include "start/region.hpp"
#include "start/repeated_numbers.hpp"
#include "topology/topology.hpp"

namespace nfold::start {

/// What the growth of every chain needs to know, by residue; residue ids are global.
class GrowthRules {
 public:
  /// is_rigid: (residues) those that are placed as a body, not grown; or empty: none. Throws
  /// std::invalid_argument for a bond other than between consecutive residues of a chain or around
  /// a closed one without rigid parts, unless both are rigid: growing could not close it.
  explicit GrowthRules(const topology::Topology& topology, const std::vector<char>& is_rigid = {});

  struct NativePair {
    int other;
    double distance_nm;
  };
  /// From the first residue of a closed chain.
  struct ClosingBond {
    int last;
    double length_nm;
  };

  RepeatedNumbers<double> bond_nm;      ///< (residues) to the one before; 0: starts a segment
  RepeatedNumbers<double> angle_rad;    ///< (residues) at the one before; 0: no such term; or empty
  std::vector<bool> no_core_13;         ///< (residues) i and i - 2 need not keep their distance
  std::vector<std::size_t> first_pair;  ///< (residues + 1), or empty without contacts
  std::vector<NativePair> pair;         ///< contacts of i: first_pair[i] .. [i + 1] - 1
  RepeatedNumbers<int> type;            ///< (residues)
  std::unordered_map<int, ClosingBond> closing;  ///< by the first residue of each closed chain

  [[nodiscard]] std::span<const NativePair> pairs_of(std::size_t id) const {
    if (first_pair.empty()) return {};
    return std::span(pair).subspan(first_pair[id], first_pair[id + 1] - first_pair[id]);
  }

  /// Neighbours along a chain that are where bond and angle put them.
  [[nodiscard]] bool are_neighbours(int i, int j) const {
    const auto high = static_cast<std::size_t>(i > j ? i : j);
    const int apart = i > j ? i - j : j - i;
    if (apart > 2 && !closing.empty()) {
      const auto found = closing.find(i > j ? j : i);
      return found != closing.end() && found->second.last == static_cast<int>(high);
    }
    return apart == 1 ? bond_nm[high] > 0 : apart == 2 && no_core_13[high];
  }
};

/// One residue to be grown, next to one that stands.
struct GrowthStep {
  int id = 0;
  int anchor = -1;       ///< bonded to it, or the end of the segment before; -1: starts the chain
  int behind = -1;       ///< beyond the anchor: with it an angle is made; -1: any direction
  double bond_nm = 0;    ///< to the anchor; 0: not bonded, 0.6 to 1.2 nm off
  double angle_rad = 0;  ///< at the anchor; 0: from 90 to 150 degrees
  int target = -1;       ///< residue that the chain must meet again
  double target_bond_nm = 0;  ///< > 0: the target is bonded to this residue
  double reach_nm = 0;        ///< bonds from here to the target, stretched out
};

/// The residues of the chain that aren't rigid, each next to one placed before it: tails from the
/// rigid part outwards, linkers from one rigid part to the next.
[[nodiscard]] std::vector<GrowthStep> growth_plan(const GrowthRules& rules,
                                                  const topology::Chain& chain,
                                                  const std::vector<char>& is_rigid);

/// Where a chain grows, and what it must keep clear of.
struct GrowthSpace {
  const GrowthRules& rules;
  const HardCore& core;
  const Region& region;
  ExcludedVolume& volume;
  std::uint64_t seed;
};

/// Grows the plan's residues into space.volume. Bond lengths of the model; angles within 10 degrees
/// of the model's, or from 90 to 150 where it has none; any dihedral. No two residues within the
/// hard core unless neighbours along the chain, no native pair nearer than its native distance: no
/// repulsive wall is touched, so no force is huge. Segments of a chain begin 0.6 to 1.2 nm from the
/// end of the one before. Every number drawn is addressed by residue and draws[step], which goes on
/// from call to call. Returns plan.size(), or the step where at most draws_per_residue draws found
/// no room; then nothing of the plan is placed.
[[nodiscard]] std::size_t grow(const GrowthSpace& space, const std::vector<GrowthStep>& plan,
                               const Point& start_nm, std::uint32_t draws_per_residue,
                               std::vector<std::uint32_t>& draws);

}  // namespace nfold::start
