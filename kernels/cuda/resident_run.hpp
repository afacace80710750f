// Parameters of a launch of resident replicas, and the roles of its threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/resident/resident_system.hpp"

namespace nfold::kernels {

/// Limit of residues per thread.
inline constexpr int resident_uniform_rows = 4, resident_specialised_rows = 2;
/// Limit of threads per thread block; with more, each would have too few registers.
inline constexpr int resident_threads = 640;
/// Limit of residues times replicas of a thread block, and the same with three padding rows.
inline constexpr int resident_capacity = 2560;
inline constexpr int resident_padded_capacity = resident_capacity + 3 * 32;

/// Range of slots that do a task; a slot is one thread per replica of a group.
struct ResidentRole {
  int first, slots;
};

/// Distribution of work to threads; the bits do not depend on it.
enum class ThreadLayout {
  uniform,     // each thread does a part of every task: for many replicas
  specialised  // terms, pairs and the integrator have threads of their own and run concurrently
};

/// Format of the rounded positions, which the force loops read.
enum class ResidentPositionFormat {
  floats,  // relative to the middle of the replica, exact up to 16 nm from it
  counts   // integers of the coordinate grid: slower, with the range of coordinates
};

/// Parameters of a launch.
template <class Contact>
struct ResidentRun {
  ResidentSystem<Contact> system;
  ResidentReplicas replicas;
  std::uint64_t first_step;
  std::int64_t steps;
  int log_width;  // 2^log_width replicas per group
  // Slots for bonds and angles; dihedrals; contacts and listed pairs; noise and integrator. All
  // equal in a uniform layout.
  ResidentRole angles, dihedrals, pairs, moves;
  int rows;                // residues per thread
  int rows_on, halves_on;  // steps from a slot's half word of the pair mask to its next one
  int padded_contacts;     // contacts, and padding for the last slots of their warp
  // Capacity of a replica's lists: pairs in range, and charge pairs in range.
  int pairs_at_most, charges_at_most;
  std::uint32_t* lists;  // (groups, pairs_at_most + charges_at_most, width)
};

/// Shared memory of a thread block [bytes]: arrays of residues, four arrays of lanes, then the
/// shift of positions, a barrier, and the pair data of each type.
inline constexpr int resident_shift_offset =
    resident_padded_capacity * 28 + resident_capacity * 3 * 20 + 32 * 4 * 4;
inline constexpr int resident_barrier_offset = resident_shift_offset + 3 * 32 * 8;
inline constexpr int resident_types_offset = resident_barrier_offset + 8;
inline constexpr int resident_shared_bytes = resident_types_offset + types_at_most * 8;

}  // namespace nfold::kernels
