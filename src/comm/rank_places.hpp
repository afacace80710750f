// Where the ranks of a job compute: which of them share a node, and which a GPU.
// SPDX-License-Identifier: BSD-3-Clause
//
// How many devices a rank sees says nothing of who uses them: with one GPU visible to each task
// all ranks see one, and each sees another. So ranks tell each other what theirs is called.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/gpu_place.hpp"

namespace nfold::comm {

/// Of one rank, as all ranks of a job know it.
struct RankPlace {
  int node = 0;  ///< the lowest rank of the job on the same node
  GpuId gpu{};   ///< no_gpu: it computes on processors
};

/// Ranks of a job, with the one that asks, that have to share with each other.
struct Sharing {
  int of_node = 1;    ///< its memory
  int of_device = 1;  ///< its GPU and that one's memory; without a GPU as of_node
};
[[nodiscard]] Sharing sharing_of(std::span<const RankPlace> by_rank, int rank);

/// Collective: (ranks) the lowest rank on the same node as each. ranks_per_node > 0: so many ranks
/// in a row count as a node, wherever they are; 0: as MPI finds them.
[[nodiscard]] std::vector<int> nodes_of(const Communicator& communicator, int ranks_per_node);

/// Collective over a job: its places in rank order, the same everywhere. no_gpu for processors.
[[nodiscard]] std::vector<RankPlace> places_of(const Communicator& job, const GpuId& own_gpu);

/// Which of the GPUs that it may take each rank takes: in rank order, the first of those that the
/// fewest ranks before it have taken. Zero where a rank sees none.
[[nodiscard]] std::vector<std::size_t> chosen_gpus(
    std::span<const std::vector<GpuId>> seen_by_rank);

/// What a user should know of ranks that share a GPU; empty where each has its own.
[[nodiscard]] std::string sharing_note(std::span<const RankPlace> by_rank);

}  // namespace nfold::comm
