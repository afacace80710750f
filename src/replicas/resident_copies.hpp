// Kernels that copy resident replicas' states and scale their velocities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/resident/resident_system.hpp"

namespace nfold::replicas {

/// Copies a replica from or to contiguous columns. One work item per component of a residue.
struct CopyReplica {
  kernels::ResidentReplicas replicas;
  std::int64_t first;  // index of the replica's first component
  int width;
  std::int64_t* position;  // (residues, 3)
  double* velocity;
  std::int32_t* force;
  bool puts;
  KOKKOS_FUNCTION void operator()(int item) const {
    const std::int64_t at = first + static_cast<std::int64_t>(item) * width;
    if (puts) {
      replicas.position[at] = position[item];
      replicas.velocity[at] = velocity[item];
      replicas.force[at] = force[item];
    } else {
      position[item] = replicas.position[at];
      velocity[item] = replicas.velocity[at];
    }
  }
};

/// Scales velocities. One work item per component of a residue, for all replicas of a group.
struct ScaleVelocities {
  double* velocity;     // (groups, components, width)
  const double* scale;  // (groups * width)
  int components, width;
  KOKKOS_FUNCTION void operator()(int item) const {
    double* const v = velocity + static_cast<std::int64_t>(item) * width;
    const double* const s = scale + static_cast<std::ptrdiff_t>(item / components) * width;
    for (int lane = 0; lane < width; ++lane) v[lane] *= s[lane];
  }
};

}  // namespace nfold::replicas
