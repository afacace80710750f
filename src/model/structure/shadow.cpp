// Shadow criterion, pair by pair.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/shadow.hpp"

#include <algorithm>
#include <utility>

#include "model/structure/arctangent.hpp"

namespace nfold::structure {

std::vector<Neighbour> neighbours(const AllAtom& atoms, const system::CellList& cells, int atom,
                                  double cutoff_nm) {
  std::vector<Neighbour> near;
  const Point& here = atoms.position_nm[static_cast<std::size_t>(atom)];
  cells.for_each_near(here, [&](int other) {
    if (other == atom) return;
    const double d = distance(here, atoms.position_nm[static_cast<std::size_t>(other)]);
    if (d < cutoff_nm) near.push_back({other, d});
  });
  std::ranges::sort(near, {}, [](const Neighbour& neighbour) {
    return std::pair(neighbour.distance_nm, neighbour.atom);
  });
  return near;
}

double Shadow::width(double radius_nm, double distance_nm) const {
  if (options_.legacy_atan) return arctangent2(radius_nm, distance_nm);
  const double reach = distance_nm * distance_nm - radius_nm * radius_nm;
  return reach <= 0 ? pi / 2 : arctangent2(radius_nm, std::sqrt(reach));  // asin(radius/distance)
}

bool Shadow::hides(int s, int eye, int target, double to_s_nm, double to_target_nm,
                   double radius_nm) const {
  const auto at = [&](int atom) { return atoms_.position_nm[static_cast<std::size_t>(atom)]; };
  const Point u = difference(at(s), at(eye)), v = difference(at(target), at(eye));
  const double angle = arctangent2(norm(cross(u, v)), dot(u, v));
  return angle < width(radius_nm, to_s_nm) + width(options_.shadow_radius_nm, to_target_nm);
}

bool Shadow::blocks(int a, int b, double distance_nm, const std::vector<Neighbour>& near_a) const {
  if (options_.shadow_radius_nm <= 0) return false;
  for (const auto& [s, to_a] : near_a) {
    if (to_a >= distance_nm) break;
    const double to_b = distance(atoms_.position_nm[static_cast<std::size_t>(s)],
                                 atoms_.position_nm[static_cast<std::size_t>(b)]);
    if (to_b >= distance_nm || s == b) continue;
    const double radius = atoms_.are_bonded(s, a) || atoms_.are_bonded(s, b)
                              ? options_.bonded_radius_nm
                              : options_.shadow_radius_nm;
    if (hides(s, a, b, to_a, distance_nm, radius) || hides(s, b, a, to_b, distance_nm, radius)) {
      return true;
    }
  }
  return false;
}

}  // namespace nfold::structure
