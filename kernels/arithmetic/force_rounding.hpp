// How a force becomes quanta: what is out of range is clamped and flagged. The one rule of all
// loops. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"

namespace nfold::kernels {

/// Whether a component of one term's force [kJ/mol/nm] counts; NaN does not. Beyond it quanta
/// saturate.
template <class Precision, class Flag>
NFOLD_FUNCTION void flag_force(typename Precision::Real force, Flag& bad) {
  bad |= static_cast<Flag>(!Precision::in_range(force));
}

/// A component of one term's force [kJ/mol/nm] in quanta.
template <class Precision, class Flag>
NFOLD_FUNCTION typename Precision::Quanta flagged_quanta(typename Precision::Real force,
                                                         Flag& bad) {
  flag_force<Precision>(force, bad);
  return Precision::quanta(force);
}

/// A pair's force over distance, whose components then cannot saturate; NaN becomes -largest.
template <class Real, class Flag>
NFOLD_FUNCTION Real clamped_force(Real force_over_distance, Real largest, Flag& bad) {
  const Real low = force_over_distance > -largest ? force_over_distance : -largest;
  const Real clamped = low < largest ? low : largest;
  bad |= static_cast<Flag>(!(force_over_distance == clamped));
  return clamped;
}

/// A pair's force in mixed precision where one addition cannot round each component.
struct WidePairForce {
  std::int32_t quanta[3];  ///< 0 where out of range
  std::int32_t weight;     ///< of it in a sum of at most weight_limit
  int bad;                 ///< 1 where any is out of range

  /// Of all such forces of a system and step, or int32 sums might wrap.
  static constexpr int weight_limit = 1 << 17;

  /// force_over_distance [quanta/nm], d [nm]
  static NFOLD_FUNCTION WidePairForce of(float force_over_distance, float dx, float dy, float dz) {
    const float d[3] = {dx, dy, dz};
    WidePairForce force{};
    std::int32_t largest = 0;
    NFOLD_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const float plain = force_over_distance * d[axis];
      const bool counts = plain < Mixed::term_limit && plain > -Mixed::term_limit;
      force.bad |= static_cast<int>(!counts);
      force.quanta[axis] = counts ? Mixed::product(force_over_distance, d[axis]) : 0;
      const std::int32_t size = force.quanta[axis] < 0 ? -force.quanta[axis] : force.quanta[axis];
      largest = size > largest ? size : largest;
    }
    force.weight = (largest >> 12) + 1;
    return force;
  }
};

}  // namespace nfold::kernels
