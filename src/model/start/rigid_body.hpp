// Rigid parts of a molecule, with known relative positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/start/placement.hpp"
#include "model/topology/geometry.hpp"

namespace nfold::start {

struct RigidBody {
  std::vector<int> id;                ///< ascending
  std::vector<topology::Point> x_nm;  ///< relative to the centre
  double radius_nm = 0;               ///< sphere around the centre that contains all
};

/// Returns (residues) 1 for each residue placed by its reference coordinates: in the native
/// conformation if it has them, in the unfolded one if it belongs to a folded domain, is
/// restrained, or has them and lies between such residues. Empty if there is none. Throws
/// PlacementError for a folded domain without reference coordinates.
[[nodiscard]] std::vector<char> rigid_residues(const topology::Topology& topology,
                                               Conformation conformation);

[[nodiscard]] RigidBody rigid_body(const std::vector<int>& id,
                                   const std::vector<topology::Point>& x_nm);

/// Chains that are placed together: one, or several with joined rigid parts.
struct Molecule {
  std::vector<int> chains;  ///< ascending
  int residues = 0;
  int rigid_residues = 0;  ///< 0: it is grown completely
};

/// Returns the rigid residues of the molecule.
[[nodiscard]] RigidBody rigid_body(const topology::Topology& topology, const Molecule& molecule,
                                   const std::vector<char>& is_rigid);

/// Returns molecules; each chain is in exactly one. is_rigid: see rigid_residues(). Bonds and
/// restraints between rigid residues join chains, in the native conformation native contacts too: a
/// complex stays together.
[[nodiscard]] std::vector<Molecule> find_molecules(const topology::Topology& topology,
                                                   const std::vector<char>& is_rigid,
                                                   Conformation conformation);

/// Rotates points; three uniform numbers choose the rotation (Shoemake, Graphics Gems III, 124
/// (1992)).
[[nodiscard]] std::vector<topology::Point> rotated(const std::vector<topology::Point>& x_nm,
                                                   double u0, double u1, double u2);

}  // namespace nfold::start
