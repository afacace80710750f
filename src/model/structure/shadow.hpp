// Shadow criterion: line of sight between two atoms blocked by a third.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/structure/all_atom.hpp"
#include "system/cell_list.hpp"

namespace nfold::structure {

/// An atom near another one.
struct Neighbour {
  int atom;
  double distance_nm;
};

/// Returns all atoms within `cutoff_nm` of `atom`, nearest first, then by index.
[[nodiscard]] std::vector<Neighbour> neighbours(const AllAtom& atoms, const system::CellList& cells,
                                                int atom, double cutoff_nm);

/// Shadow contact map of Noel, Whitford, Onuchic, J. Phys. Chem. B 116, 8692 (2012), with the
/// choices of SMOG 2's program: atan for the angle that a ball covers (legacy), strict comparisons.
class Shadow {
 public:
  Shadow(const AllAtom& atoms, const ContactOptions& options) : atoms_(atoms), options_(options) {}

  /// True if a third atom blocks the contact of a and b. `near_a`: neighbours(a) up to at least
  /// `distance_nm`, the distance of a and b.
  [[nodiscard]] bool blocks(int a, int b, double distance_nm,
                            const std::vector<Neighbour>& near_a) const;

 private:
  /// Returns the angle [rad] covered by a ball of `radius_nm`, seen from `distance_nm`.
  [[nodiscard]] double width(double radius_nm, double distance_nm) const;
  /// True if `s` hides `target`, seen from `eye`.
  [[nodiscard]] bool hides(int s, int eye, int target, double to_s_nm, double to_target_nm,
                           double radius_nm) const;

  const AllAtom& atoms_;
  const ContactOptions& options_;
};

}  // namespace nfold::structure
