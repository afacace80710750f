// Groups of ranks whose GPUs write into each other's memory.
// SPDX-License-Identifier: BSD-3-Clause
//
// Halo rows travel by peer memory between the ranks of an island and by messages between islands.
// An island lies within a node; a node has several if its GPUs do not all reach each other.
#pragma once

#include <span>
#include <vector>

namespace nfold::comm {

/// (ranks) The lowest rank of each one's island. In rank order each rank joins the first island of
/// its node whose ranks it reaches and that reach it. node: (ranks), equal numbers on one node;
/// reaches: (ranks, ranks), nonzero if the first reaches the second; most: ranks of an island.
/// Throws std::invalid_argument for other sizes or most < 1.
[[nodiscard]] std::vector<int> peer_islands(std::span<const int> node,
                                            std::span<const char> reaches, int most);

/// Returns the ranks of the island of `rank`, ascending.
[[nodiscard]] std::vector<int> members_of_island(std::span<const int> island, int rank);

/// True if one island holds all ranks; true if each rank is alone in its own.
[[nodiscard]] bool is_one_island(std::span<const int> island);
[[nodiscard]] bool are_all_alone(std::span<const int> island);

}  // namespace nfold::comm
