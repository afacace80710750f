// Angles between beads, as the terms of models define them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/structure/arctangent.hpp"
#include "model/structure/point.hpp"

namespace nfold::topology {

// Aliases for callers that may not depend on structure/.
using structure::cross;
using structure::difference;
using structure::distance;
using structure::dot;
using structure::norm;
using structure::Point;

/// Returns the angle at b [rad], 0 to pi.
[[nodiscard]] inline double angle_at(const Point& a, const Point& b, const Point& c) {
  const Point u = structure::difference(a, b), v = structure::difference(c, b);
  return structure::arctangent2(structure::norm(structure::cross(u, v)), structure::dot(u, v));
}

/// Returns the dihedral angle [rad] with the IUPAC sign (trans is pi, a right-handed helix about
/// +0.9), in (-pi, pi].
[[nodiscard]] inline double dihedral_at(const Point& a, const Point& b, const Point& c,
                                        const Point& d) {
  const Point b1 = structure::difference(b, a), b2 = structure::difference(c, b),
              b3 = structure::difference(d, c);
  const Point n1 = structure::cross(b1, b2), n2 = structure::cross(b2, b3);
  return structure::arctangent2(structure::norm(b2) * structure::dot(b1, n2),
                                structure::dot(n1, n2));
}

}  // namespace nfold::topology
