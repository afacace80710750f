// Nodes and GPUs that the ranks of a job use and share.
// SPDX-License-Identifier: BSD-3-Clause
//
// The number of visible devices does not show who shares them: with one GPU visible to each task
// all ranks see one, and each a different one. So ranks exchange the UUIDs of theirs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/gpu_identity.hpp"

namespace nfold::comm {

/// Node and GPU of one rank, known to all ranks of a job.
struct RankLocation {
  int node = 0;  ///< the lowest rank of the job on the same node
  GpuId gpu{};   ///< no_gpu: it computes on the CPU
};

/// Numbers of ranks, including this one, that share a resource.
struct Sharing {
  int of_node = 1;    ///< ranks that share its memory
  int of_device = 1;  ///< ranks that share its GPU and GPU memory; of_node without a GPU
};
[[nodiscard]] Sharing count_sharing_ranks(std::span<const RankLocation> by_rank, int rank);

/// Collective: (ranks) the lowest rank on the node of each. ranks_per_node > 0: this many
/// consecutive ranks count as a node, wherever they are; 0: nodes as MPI finds them.
[[nodiscard]] std::vector<int> gather_rank_nodes(const Communicator& communicator,
                                                 int ranks_per_node);

/// Gathers node and GPU of each rank of a job, in rank order. own_gpu: no_gpu on the CPU.
/// Collective.
[[nodiscard]] std::vector<RankLocation> gather_rank_locations(const Communicator& job,
                                                              const GpuId& own_gpu);

/// (ranks) The index of the GPU that each rank takes among those it sees: in rank order, the first
/// of those that the fewest earlier ranks have taken. Zero if a rank sees none.
[[nodiscard]] std::vector<std::size_t> assign_gpus(
    std::span<const std::vector<GpuId>> seen_by_rank);

/// Describes ranks that share a GPU, for the user; empty if each has its own.
[[nodiscard]] std::string describe_gpu_sharing(std::span<const RankLocation> by_rank);

}  // namespace nfold::comm
