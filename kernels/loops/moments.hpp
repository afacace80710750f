// Moments of a collective variable's residues, and the forces of a bias on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// Residue of a collective variable on the rank that owns it.
struct GroupMember {
  int row;
  std::int64_t weight;  // below 2^30
};

/// Sums weight c along x, y, z and weight c c along xx, yy, zz, xy, xz, yz, c being the position
/// relative to the origin [2^-44 turns]. The sums are exact for residues within a box length of the
/// origin. Work item: one member.
struct MomentLoop {
  using Sums = ExactSums<9>;
  const GroupMember* member;
  Columns<const std::int64_t> position;
  std::int64_t origin[3];

  NFOLD_FUNCTION void operator()(int k, Sums& sums) const {
    const GroupMember m = member[k];
    const std::int64_t c[3] = {position.x[m.row] - origin[0], position.y[m.row] - origin[1],
                               position.z[m.row] - origin[2]};
    __extension__ using Wide = __int128;
    const auto add = [](Wide value, ExactSum& sum) {
      sum += ExactSum{static_cast<std::uint64_t>(value), static_cast<std::int64_t>(value >> 64)};
    };
    int cross = 6;
    for (int a = 0; a < 3; ++a) {
      const Wide first = static_cast<Wide>(m.weight) * c[a];
      add(first, sums.sum[a]);
      add(first * c[a], sums.sum[3 + a]);
      for (int b = a + 1; b < 3; ++b) add(first * c[b], sums.sum[cross++]);
    }
  }
};

/// Adds the force -dU/ds ds/dx to each member's total, with ds/dx = weight (stretch (c - centre -
/// rest) nm + direction). Work item: one member.
template <class Precision>
struct BiasForceLoop {
  using Real = typename Precision::Real;
  const GroupMember* member;
  Columns<const std::int64_t> position;
  Columns<std::int64_t> total;  // [quanta]
  double force;                 // -dU/ds
  std::int64_t centre[3];
  double rest[3], nm[3], stretch, direction[3];
  int* exploded;

  NFOLD_FUNCTION void operator()(int k) const {
    const GroupMember m = member[k];
    bool bad = false;
    total.x[m.row] += quanta(0, m.weight, position.x[m.row], bad);
    total.y[m.row] += quanta(1, m.weight, position.y[m.row], bad);
    total.z[m.row] += quanta(2, m.weight, position.z[m.row], bad);
    if (bad) *exploded = 1;
  }

 private:
  NFOLD_FUNCTION std::int64_t quanta(int axis, std::int64_t weight, std::int64_t at,
                                     bool& bad) const {
    const auto off = static_cast<double>(at - centre[axis]) - rest[axis];
    const double slope =
        static_cast<double>(weight) * (stretch * (off * nm[axis]) + direction[axis]);
    const auto f = static_cast<Real>(force * slope);
    return flagged_quanta<Precision>(f, bad);
  }
};

}  // namespace nfold::kernels
