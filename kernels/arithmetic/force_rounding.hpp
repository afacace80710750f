// Rounding of forces to quanta; out-of-range forces are clamped and flagged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/mathematics.hpp"

namespace nfold::kernels {

/// Sets `bad` if a component of one term's force [kJ/mol/nm] is out of range or NaN; its quanta
/// saturate.
template <class Precision, class Flag>
NFOLD_FUNCTION void flag_force(typename Precision::Real force, Flag& bad) {
  bad |= static_cast<Flag>(!Precision::in_range(force));
}

/// Converts a component of one term's force [kJ/mol/nm] to quanta and flags it if out of range.
template <class Precision, class Flag>
NFOLD_FUNCTION typename Precision::Quanta flagged_quanta(typename Precision::Real force,
                                                         Flag& bad) {
  flag_force<Precision>(force, bad);
  return Precision::quanta(force);
}

/// Clamps a pair's force over distance so that its components cannot saturate; NaN becomes
/// -largest.
template <class Real, class Flag>
NFOLD_FUNCTION Real clamped_force(Real force_over_distance, Real largest, Flag& bad) {
  const Real low = force_over_distance > -largest ? force_over_distance : -largest;
  const Real clamped = low < largest ? low : largest;
  bad |= static_cast<Flag>(!(force_over_distance == clamped));
  return clamped;
}

/// Returns the force over distance [quanta/nm] from which an engine may report an explosion.
template <class Potential>
[[nodiscard]] NFOLD_FUNCTION float explosion_range(const Potential& potential) {
  const float cutoff = square_root(potential.cutoff_squared);
  return 0.999F * Mixed::term_limit / (cutoff > 1.0F ? cutoff : 1.0F);
}

/// Range of a term of which only components out of range are reported.
inline constexpr float no_range = 3e38F;

/// Pair force in mixed precision, for forces too large for Mixed::small_product.
struct WidePairForce {
  std::int32_t quanta[3];  ///< 0 if out of range
  std::int32_t weight;     ///< share of weight_limit that this force takes
  int bad;                 ///< 1 if any component is out of range

  /// Limit on the summed weights of a system and step; beyond it int32 sums might wrap.
  static constexpr int weight_limit = 1 << 17;

  /// Rounds a pair force. force_over_distance: [quanta/nm], out of range from `range` on; d: [nm].
  static NFOLD_FUNCTION WidePairForce of(float force_over_distance, float dx, float dy, float dz,
                                         float range) {
    const float d[3] = {dx, dy, dz};
    WidePairForce force{};
    force.bad = static_cast<int>(!(force_over_distance < range && force_over_distance > -range));
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
