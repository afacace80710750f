// Moves of rows between ranks by one all-to-all exchange.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/replica_moves.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "device/device_memory.hpp"

namespace nfold::ensemble {

system::State extract_replica(const system::State& all, int replica, int residues) {
  const auto from = static_cast<std::ptrdiff_t>(replica) * residues, to = from + residues;
  system::State one;
  one.step = all.step;
  for (int i = 0; i < residues; ++i) one.id.push_back(i);
  one.position.assign(all.position.begin() + from, all.position.begin() + to);
  one.velocity.assign(all.velocity.begin() + from, all.velocity.begin() + to);
  return one;
}

system::State move_rows(const comm::Communicator& communicator, const system::State& mine,
                        const ReplicaShares& before, const ReplicaShares& after, int residues) {
  struct Row {
    system::FixedPosition position;
    system::Velocity velocity;
  };
  // Each rank's replicas are consecutive before and after, so rows are sent without numbers.
  std::vector<std::vector<Row>> send(static_cast<std::size_t>(communicator.size()));
  const int first = before.first_of(communicator.rank());
  for (std::size_t row = 0; row < mine.position.size(); ++row) {
    const int replica = first + static_cast<int>(row / static_cast<std::size_t>(residues));
    send[static_cast<std::size_t>(after.rank_of(replica))].push_back(
        {mine.position[row], mine.velocity[row]});
  }
  system::State all;
  all.step = mine.step;
  for (const auto& part : communicator.all_to_all(send)) {
    for (const Row& row : part) {
      all.position.push_back(row.position);
      all.velocity.push_back(row.velocity);
    }
  }
  return all;
}

ReplicaBalance make_balance(const comm::Communicator& communicator,
                            const device::JobDevices& devices, const EnsembleMemory& memory,
                            int replicas, core::SplitStrategy split) {
  const int ranks = communicator.size();
  const int largest_share = (replicas + ranks - 1) / ranks;
  const auto there = device::free_memory(devices);
  // Counts take device memory beside replicas, unless they have moved to the host.
  const std::int64_t counts_bytes = std::clamp<std::int64_t>(
      memory.device_bytes() - memory.replicas_bytes, 0, memory.counts_bytes);
  const std::int64_t other_bytes = counts_bytes + (there.on_gpu ? 0 : memory.host_bytes);
  const std::int64_t free_bytes = std::max<std::int64_t>(0, there.device_bytes - other_bytes);
  struct Row {
    std::int64_t free_bytes;
    double score;
  };
  const Row mine{free_bytes, devices.own_score()};
  std::vector<ReplicaBalance::Rank> by_rank;
  for (const Row& row : communicator.all_gather(std::span<const Row>(&mine, 1))) {
    auto& rank = by_rank.emplace_back();
    rank.memory_bytes = row.free_bytes;
    rank.score = row.score;
  }
  return {{split},
          std::move(by_rank),
          replicas,
          static_cast<double>(memory.device_bytes() - counts_bytes) / largest_share};
}

std::vector<std::vector<core::TimeStep>> gather_cost_steps(
    const comm::Communicator& communicator, const std::vector<replicas::CostStep>& mine) {
  struct Row {
    std::int64_t rank, replicas;
    double cost;
  };
  std::vector<Row> rows;
  rows.reserve(mine.size());
  for (const auto& step : mine) rows.push_back({communicator.rank(), step.replicas, step.cost});
  std::vector<std::vector<core::TimeStep>> by_rank(static_cast<std::size_t>(communicator.size()));
  for (const Row& row : communicator.all_gather(std::span<const Row>(rows))) {
    by_rank[static_cast<std::size_t>(row.rank)].push_back({row.replicas, row.cost});
  }
  return by_rank;
}

}  // namespace nfold::ensemble
