// What a launch of resident replicas works on, and which thread does what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/resident/resident_system.hpp"

namespace nfold::kernels {

/// Residues of a thread, at most.
inline constexpr int resident_crowd_rows = 4, resident_crew_rows = 2;
/// Threads of a block, at most: of more each would have too few registers.
inline constexpr int resident_threads = 640;
/// Residues times replicas of a block, and with three rows more that only pad.
inline constexpr int resident_held = 2560;
inline constexpr int resident_places = resident_held + 3 * 32;

/// Which slots of threads do something, a slot being a thread for each replica of a group.
struct ResidentRole {
  int first, slots;
};

/// Who does what, which is in no bit and so is free.
enum class ResidentForm {
  crowd,  // each thread does some of all: where replicas are many
  crew    // terms, pairs and the integrator have threads of their own and are at work at once
};

/// How a block keeps where residues are.
enum class ResidentPlaces {
  floats,  // relative to the middle of the replica, exact up to 16 nm from it
  counts   // whole numbers of the grid: slower, and reach as far as coordinates do
};

/// What a launch works on.
template <class Contact>
struct ResidentRun {
  ResidentSystem<Contact> system;
  ResidentReplicas replicas;
  std::uint64_t first_step;
  std::int64_t steps;
  int log_width;  // 2^log_width replicas are a group
  // Bonds and angles, dihedrals, contacts and listed pairs, noise and the integrator; of a crowd
  // all the same.
  ResidentRole bends, turns, pairs, moves;
  int rows;                // residues of a thread
  int rows_on, halves_on;  // from a slot's half word of looks_after to its next
  int contact_turns;       // contacts, and what fills the last slots of their warp
  // Of a replica's lists, at most: pairs in range, and pairs of charges in theirs.
  int pairs_at_most, charges_at_most;
  std::uint32_t* lists;  // (groups, pairs_at_most + charges_at_most, width)
};

/// Bytes of shared memory of a block: behind the arrays of residues and four of lanes stand what
/// positions are relative to and a barrier.
inline constexpr int resident_shift_place =
    resident_places * 28 + resident_held * 3 * 20 + 32 * 4 * 4;
inline constexpr int resident_barrier_place = resident_shift_place + 3 * 32 * 8;
inline constexpr int resident_shared_bytes = resident_barrier_place + 8;

}  // namespace nfold::kernels
