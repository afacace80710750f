// One step of BAOAB Langevin dynamics or velocity Verlet for one residue.
// SPDX-License-Identifier: BSD-3-Clause
//
// Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34. A step is B A O A, forces, B. The last B
// of a step and the first B of the next are two additions, even if one launch does both.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/philox.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Limit of a residue's move along an axis in half a step [nm]. Beyond it the run explodes,
/// independent of decomposition and neighbour lists.
inline constexpr double half_drift_limit_nm = 0.5;

/// Constants of a step, the same for all residues.
struct StepConstants {
  double half_drift[3];        // converts velocity [nm/ps] to counts per half step, by axis
  double half_drift_limit[3];  // half_drift_limit_nm in counts
  double velocity_decay;       // c1 = exp(-friction h)
  std::uint64_t seed;
  std::uint32_t replica;
};

/// Returns 1 if a component of the total force [quanta] is out of range.
template <class Precision>
NFOLD_FUNCTION int exceeds_force_limit(double force) {
  constexpr double limit = total_force_limit / Precision::force_quantum;
  return static_cast<int>(!(Kokkos::abs(force) < limit));
}
/// Returns the velocity after half a step's kick; if `twice` after two, which end one step and
/// begin the next.
template <bool twice>
NFOLD_FUNCTION double kicked(double v, double force, double half_step) {
  const double k = force * half_step;
  double u = v + k;
  if constexpr (twice) u = u + k;
  return u;
}
/// Does A O A along one axis (velocity Verlet: both half drifts). Returns 1 if the residue would
/// move more than half_drift_limit.
template <bool langevin, class Real>
NFOLD_FUNCTION int drift(double& u, std::int64_t& q, double half, double limit, double decay,
                         double width, Real normal) {
  const double first = u * half;
  if constexpr (langevin) u = decay * u + width * static_cast<double>(normal);
  const double second = u * half;
  q = q + round_to_int64(first) + round_to_int64(second);
  return static_cast<int>(!(Kokkos::abs(first) < limit)) |
         static_cast<int>(!(Kokkos::abs(second) < limit));
}
/// Draws the noise of one residue of a replica in one step, from a seed or its PhiloxKeys.
template <class Real, class Keys>
NFOLD_FUNCTION void draw_noise(const Keys& seed_or_keys, std::uint32_t replica, int residue,
                               std::uint64_t step, Real& a, Real& b, Real& c) {
  three_normals(random_words(seed_or_keys, RandomStream::langevin_noise, replica,
                             static_cast<std::uint32_t>(residue), step, 0),
                a, b, c);
}

}  // namespace nfold::kernels
