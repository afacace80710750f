// What a launch of resident replicas works on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/cuda/resident_role.hpp"
#include "kernels/resident_system.hpp"

namespace nfold::kernels {

/// What a launch works on.
template <class Contact>
struct ResidentRun {
  ResidentSystem<Contact> system;
  ResidentReplicas replicas;
  std::uint64_t first_step;
  std::int64_t steps;
  int log_width;  // 2^log_width replicas are a group
  ResidentRole terms, pairs, moves;
  int log_parts;  // 2^log_parts slots share the pairs of the same residues
  int pair_slots;
  uint2* lists;  // (groups, resident_rows, resident_quads, threads)
};

/// Bytes of shared memory of a block, whose last eight are a barrier.
inline constexpr int resident_barrier_place =
    resident_places * 28 + resident_held * 3 * 20 + 32 * 2 * 4;
inline constexpr int resident_shared_bytes = resident_barrier_place + 8;

}  // namespace nfold::kernels
