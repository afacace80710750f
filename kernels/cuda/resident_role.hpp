// What a block of resident replicas can hold, and which of its threads do what.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace nfold::kernels
