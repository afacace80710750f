// The residues of a molecule whose places relative to each other are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "start/placement.hpp"
#include "topology/geometry.hpp"

namespace nfold::start {

struct RigidBody {
  std::vector<int> id;                ///< ascending
  std::vector<topology::Point> x_nm;  ///< about the centre
  double radius_nm = 0;               ///< of the sphere around the centre that holds all
};

/// (residues) whether a residue is placed by its reference coordinates: in the native conformation
/// if it has them, in the unfolded one if it belongs to a folded domain, a restraint holds it, or
/// it has them and stands between such residues. Empty where none is. Throws PlacementError for a
/// folded domain without reference coordinates.
[[nodiscard]] std::vector<char> rigid_residues(const topology::Topology& topology,
                                               Conformation conformation);

[[nodiscard]] RigidBody rigid_body(const std::vector<int>& id,
                                   const std::vector<topology::Point>& x_nm);

/// Chains that are placed together: one, or several whose rigid parts are tied to each other.
struct Molecule {
  std::vector<int> chains;  ///< ascending
  int residues = 0;
  int rigid_residues = 0;  ///< 0: all of it is grown
};

/// Of the molecule's rigid residues.
[[nodiscard]] RigidBody rigid_body(const topology::Topology& topology, const Molecule& molecule,
                                   const std::vector<char>& is_rigid);

/// All chains, each in one molecule. is_rigid: as rigid_residues() has it. Bonds and restraints tie
/// chains, and so do native contacts in the native conformation: a complex stays one.
[[nodiscard]] std::vector<Molecule> molecules_of(const topology::Topology& topology,
                                                 const std::vector<char>& is_rigid,
                                                 Conformation conformation);

/// Turned by a rotation that three uniform numbers choose (Shoemake, Graphics Gems III, 124
/// (1992)).
[[nodiscard]] std::vector<topology::Point> rotated(const std::vector<topology::Point>& x_nm,
                                                   double u0, double u1, double u2);

}  // namespace nfold::start
