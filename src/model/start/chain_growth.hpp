// Growth of a chain, residue by residue, as a self-avoiding walk among placed residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/start/excluded_volume.hpp"
#include "model/start/hard_core.hpp"
#include "model/start/region.hpp"
#include "model/start/repeated_numbers.hpp"
#include "model/topology/topology.hpp"

namespace nfold::start {

/// Constraints on the growth of all chains, by residue; residue ids are global.
class GrowthRules {
 public:
  /// is_rigid: (residues) true for residues placed as a rigid body; or empty for none. A residue
  /// grows from one residue before it in its chain, its anchor: the one before, or where a chain
  /// branches another. Throws std::invalid_argument for a bond that growth cannot close: one
  /// neither to an anchor nor around a closed chain without rigid parts, unless both ends are
  /// rigid.
  explicit GrowthRules(const topology::Topology& topology, const std::vector<char>& is_rigid = {});

  struct NativePair {
    int other;
    double distance_nm;
  };
  /// Bond that closes a chain, from its first residue.
  struct ClosingBond {
    int last;
    double length_nm;
  };

  RepeatedNumbers<double> bond_nm;      ///< (residues) to the anchor; 0: starts a segment
  RepeatedNumbers<double> angle_rad;    ///< (residues) at the anchor; 0: no term; or empty
  RepeatedNumbers<int> branch_offset;   ///< (residues) id less the anchor's; 0: 1; or empty
  std::vector<bool> no_core_13;         ///< (residues) i and its anchor's may be in the hard core
  std::vector<std::size_t> first_pair;  ///< (residues + 1), or empty without contacts
  std::vector<NativePair> pair;         ///< contacts of i: first_pair[i] .. [i + 1] - 1
  RepeatedNumbers<int> type;            ///< (residues)
  std::unordered_map<int, ClosingBond> closing;  ///< key: first residue of each closed chain

  /// Returns the residue from which this one grows.
  [[nodiscard]] int anchor(int id) const {
    const int offset = branch_offset.empty() ? 0 : branch_offset[static_cast<std::size_t>(id)];
    return id - (offset == 0 ? 1 : offset);
  }
  /// True if a residue grows from one that is not the one before.
  [[nodiscard]] bool is_branched(const topology::Chain& chain) const {
    for (int id = chain.first; !branch_offset.empty() && id < chain.first + chain.count; ++id) {
      if (branch_offset[static_cast<std::size_t>(id)] != 0) return true;
    }
    return false;
  }

  [[nodiscard]] std::span<const NativePair> pairs_of(std::size_t id) const {
    if (first_pair.empty()) return {};
    return std::span(pair).subspan(first_pair[id], first_pair[id + 1] - first_pair[id]);
  }

  /// True for neighbours along a chain whose distance is set by bonds and angles.
  [[nodiscard]] bool are_neighbours(int i, int j) const {
    const int high = i > j ? i : j, low = i > j ? j : i;
    const auto at = static_cast<std::size_t>(high);
    const int before = anchor(high);
    if (low == before) return bond_nm[at] > 0;
    if (before >= 0 && low == anchor(before)) return no_core_13[at];
    if (closing.empty()) return false;
    const auto found = closing.find(low);
    return found != closing.end() && found->second.last == high;
  }
};

/// One residue to grow, next to a placed one.
struct GrowthStep {
  int id = 0;
  int anchor = -1;       ///< bonded to it, or end of the segment before; -1: starts the chain
  int behind = -1;       ///< residue beyond the anchor that defines the angle; -1: any direction
  double bond_nm = 0;    ///< to the anchor; 0: not bonded, 0.6 to 1.2 nm away
  double angle_rad = 0;  ///< at the anchor; 0: from 90 to 150 degrees
  int target = -1;       ///< residue that the chain must reach; -1: none
  double target_bond_nm = 0;  ///< > 0: the target is bonded to this residue
  double reach_nm = 0;        ///< length of the chain from here to the target, stretched out
};

/// Returns the flexible residues of the chain, each next to one placed before it: tails from the
/// rigid part outwards, linkers from one rigid part to the next. Throws std::invalid_argument for a
/// linker of a branched chain.
[[nodiscard]] std::vector<GrowthStep> growth_steps(const GrowthRules& rules,
                                                   const topology::Chain& chain,
                                                   const std::vector<char>& is_rigid);

/// Space in which a chain grows, with its constraints.
struct GrowthSpace {
  const GrowthRules& rules;
  const HardCore& core;
  const Region& region;
  ExcludedVolume& volume;
  std::uint64_t seed;
};

/// Grows the plan's residues into space.volume. Bond lengths are the model's. Angles are within 10
/// degrees of the model's, or from 90 to 150 where it has none. Dihedrals are arbitrary. No two
/// residues are within the hard core unless neighbours along the chain, and no native pair is
/// closer than its native distance, so no force is huge. Segments of a chain begin 0.6 to 1.2 nm
/// from the end of the one before. Random numbers are addressed by residue and draws[step], which
/// continues from call to call. Returns plan.size(), or the step for which draws_per_residue draws
/// found no free position; then nothing of the plan is placed.
[[nodiscard]] std::size_t grow(const GrowthSpace& space, const std::vector<GrowthStep>& plan,
                               const Point& start_nm, std::uint32_t draws_per_residue,
                               std::vector<std::uint32_t>& draws);

/// Removes the residues of a plan that grow() placed last. Returns their positions [nm], in the
/// order of the plan.
[[nodiscard]] std::vector<Point> remove_grown(ExcludedVolume& volume,
                                              const std::vector<GrowthStep>& plan);

}  // namespace nfold::start
