// Gain of more ranks, compared with the cost of a restart.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/joining_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/text.hpp"

namespace nfold::batch {

int fair_part(std::span<const comm::OpenWork> published, int own, int idle) {
  std::vector<int> given(published.size(), 0);
  for (int left = idle; left > 0; --left) {
    std::size_t longest = published.size();
    double longest_rest = 0;
    for (std::size_t k = 0; k < published.size(); ++k) {
      const auto& work = published[k];
      const int ranks = work.ranks + given[k];
      if (ranks >= work.most_ranks) continue;
      const double rest = static_cast<double>(work.remaining_milliseconds) * work.ranks / ranks;
      if (rest <= longest_rest) continue;
      longest_rest = rest;
      longest = k;
    }
    if (longest == published.size()) break;
    ++given[longest];
  }
  return given[static_cast<std::size_t>(own)];
}

JoiningDecision decide_joining(const job::RemainingRun& rest, int ranks, int most_ranks, int idle) {
  constexpr double least_gain_per_restart = 1.5;  // gained time over restart time
  constexpr double least_gain = 0.1;              // gained time over remaining time
  constexpr double near_best = 1.02;  // accepted ratio to the shortest time, so that fewer join
  const int most = std::min(idle, most_ranks - ranks);
  if (most <= 0) return {};
  double best = rest.seconds_on(ranks + most);
  for (int k = 1; k < most; ++k) best = std::min(best, rest.seconds_on(ranks + k));
  int joining = 1;
  while (rest.seconds_on(ranks + joining) > near_best * best) ++joining;
  const double then = rest.seconds_on(ranks + joining);
  const double gain = rest.seconds - then;
  const bool pays =
      gain > least_gain_per_restart * rest.restart_seconds && gain > least_gain * rest.seconds;
  const auto description = fmt::format(
      "{:.3g} s left on {}, predicted {:.3g} s on {}; the restart takes {:.3g} s", rest.seconds,
      core::pluralise(ranks, "rank"), then, ranks + joining, rest.restart_seconds);
  if (!pays) return {0, fmt::format("idle ranks don't join: {}", description)};
  return {joining, description};
}

std::vector<int> with_exclusive_device(std::span<const int> idle, std::span<const int> members,
                                       std::span<const std::string> gpus) {
  std::set<std::string> taken;
  for (const int rank : members) taken.insert(gpus[static_cast<std::size_t>(rank)]);
  std::vector<int> useful;
  for (const int rank : idle) {
    const auto& gpu = gpus[static_cast<std::size_t>(rank)];
    if (gpu.empty() || taken.insert(gpu).second) useful.push_back(rank);
  }
  return useful;
}

std::vector<int> nearest_first(std::span<const int> idle, std::span<const int> nodes, int asking) {
  const auto node_of = [&](int rank) { return nodes[static_cast<std::size_t>(rank)]; };
  std::map<int, int> idle_of;  // idle ranks by node
  for (const int rank : idle) ++idle_of[node_of(rank)];
  std::vector<int> ordered(idle.begin(), idle.end());
  std::stable_sort(ordered.begin(), ordered.end(), [&](int one, int other) {
    const int node = node_of(one), other_node = node_of(other), own = node_of(asking);
    if ((node == own) != (other_node == own)) return node == own;
    if (idle_of[node] != idle_of[other_node]) return idle_of[node] > idle_of[other_node];
    return node < other_node;
  });
  return ordered;
}

}  // namespace nfold::batch
