// What a launch of resident replicas works on, and which thread does what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/resident_system.hpp"

namespace nfold::kernels {

inline constexpr int resident_threads = 832;  // of a block, at most
inline constexpr int resident_quads = 16;     // fours of list entries of a residue and part
inline constexpr int resident_rows = 4;       // residues of a thread, at most
/// Residues times replicas of a block, and with three rows more that only pad.
inline constexpr int resident_held = 2560;
inline constexpr int resident_places = resident_held + 3 * 32;

/// Which slots of threads do something, a slot being a thread for each replica of a group.
struct ResidentRole {
  int first, rows;  // slot; consecutive residues of each
};

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
