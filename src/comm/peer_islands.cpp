// Peer islands, assigned in rank order.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/peer_islands.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace nfold::comm {

std::vector<int> peer_islands(std::span<const int> node, std::span<const char> reaches, int most) {
  const std::size_t ranks = node.size();
  if (reaches.size() != ranks * ranks || most < 1) {
    throw std::invalid_argument("peer_islands: (ranks, ranks) reaches and at least one rank");
  }
  const auto are_linked = [&](std::size_t one, std::size_t other) {
    return node[one] == node[other] && reaches[one * ranks + other] != 0 &&
           reaches[other * ranks + one] != 0;
  };
  std::vector<std::vector<std::size_t>> members;
  std::vector<int> island(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto home = std::find_if(members.begin(), members.end(), [&](const auto& of) {
      return of.size() < static_cast<std::size_t>(most) &&
             std::all_of(of.begin(), of.end(),
                         [&](std::size_t other) { return are_linked(rank, other); });
    });
    auto& joined = home == members.end() ? members.emplace_back() : *home;
    joined.push_back(rank);
    island[rank] = static_cast<int>(joined.front());
  }
  return island;
}

std::vector<int> members_of_island(std::span<const int> island, int rank) {
  std::vector<int> members;
  for (std::size_t other = 0; other < island.size(); ++other) {
    if (island[other] == island[static_cast<std::size_t>(rank)]) {
      members.push_back(static_cast<int>(other));
    }
  }
  return members;
}

bool is_one_island(std::span<const int> island) {
  return std::all_of(island.begin(), island.end(), [](int lowest) { return lowest == 0; });
}

bool are_all_alone(std::span<const int> island) {
  for (std::size_t rank = 0; rank < island.size(); ++rank) {
    if (island[rank] != static_cast<int>(rank)) return false;
  }
  return true;
}

}  // namespace nfold::comm
