// Counts of ranks by node and GPU.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/rank_locations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.hpp"

namespace nfold::comm {

Sharing count_sharing_ranks(std::span<const RankLocation> by_rank, int rank) {
  const auto& mine = by_rank[static_cast<std::size_t>(rank)];
  Sharing sharing{0, 0};
  for (const auto& other : by_rank) {
    const bool is_near = other.node == mine.node;
    sharing.of_node += is_near ? 1 : 0;
    // A GPU's UUID is unique across nodes; two containers of one node may look like two nodes.
    sharing.of_device += (mine.gpu == no_gpu ? is_near : other.gpu == mine.gpu) ? 1 : 0;
  }
  return sharing;
}

std::vector<int> gather_rank_nodes(const Communicator& communicator, int ranks_per_node) {
  const int rank = communicator.rank();
  const int own =
      ranks_per_node > 0 ? rank - rank % ranks_per_node : communicator.node_position().first;
  return communicator.all_gather(std::span<const int>(&own, 1));
}

std::vector<RankLocation> gather_rank_locations(const Communicator& job, const GpuId& own_gpu) {
  const RankLocation mine{job.node_position().first, own_gpu};
  return job.all_gather(std::span<const RankLocation>(&mine, 1));
}

std::vector<std::size_t> assign_gpus(std::span<const std::vector<GpuId>> seen_by_rank) {
  std::map<GpuId, int> takers;
  std::vector<std::size_t> chosen;
  for (const auto& seen : seen_by_rank) {
    const auto least = std::min_element(
        seen.begin(), seen.end(),
        [&](const GpuId& one, const GpuId& other) { return takers[one] < takers[other]; });
    chosen.push_back(static_cast<std::size_t>(least - seen.begin()));
    if (least != seen.end()) ++takers[*least];
  }
  return chosen;
}

std::string describe_gpu_sharing(std::span<const RankLocation> by_rank) {
  std::map<GpuId, int> takers;
  int most = 0;
  for (const auto& location : by_rank) {
    if (location.gpu != no_gpu) most = std::max(most, ++takers[location.gpu]);
  }
  if (most < 2) return {};
  return fmt::format(
      "up to {} ranks share one GPU and take turns on it: {} {} used, and each rank is slower than "
      "alone. Start one rank per GPU: mpirun -n {}, or srun --gpus-per-task=1",
      most, core::pluralise(takers.size(), "GPU"), takers.size() == 1 ? "is" : "are",
      takers.size());
}

}  // namespace nfold::comm
