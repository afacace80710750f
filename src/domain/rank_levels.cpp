// Order of ranks by node, and the parts of the work in that order.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/rank_levels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace nfold::domain {
namespace {

void require_one_each(const char* what, std::size_t count, std::size_t ranks) {
  if (count == 0 || count == ranks) return;
  throw std::invalid_argument(std::string(what) + " of " + std::to_string(count) +
                              " ranks for a partition over " + std::to_string(ranks));
}

}  // namespace

void require_ranks(int rank_count) {
  if (rank_count < 1) {
    throw std::invalid_argument("a partition over " + std::to_string(rank_count) +
                                " ranks (at least 1 is needed)");
  }
}

RankLevels::RankLevels(int rank_count, std::span<const double> speed, std::span<const int> node) {
  require_ranks(rank_count);
  ranks.resize(static_cast<std::size_t>(rank_count));
  require_one_each("speeds", speed.size(), ranks.size());
  require_one_each("nodes", node.size(), ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto node_of = [&](int rank) {
    return node.empty() ? 0 : node[static_cast<std::size_t>(rank)];
  };
  std::ranges::stable_sort(ranks, {}, node_of);
  part_before.push_back(0);
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const int rank = ranks[k];
    const double own = speed.empty() ? 1 : speed[static_cast<std::size_t>(rank)];
    if (!(own > 0) || !std::isfinite(own)) {
      throw std::invalid_argument("speed of rank " + std::to_string(rank) + " is " +
                                  std::to_string(own) + " (must be finite and > 0)");
    }
    part_before.push_back(part_before.back() + own);
    if (k == 0 || node_of(rank) != node_of(ranks[k - 1])) node_begin.push_back(static_cast<int>(k));
  }
  node_begin.push_back(rank_count);
  const double sum = part_before.back();
  for (double& part : part_before) part /= sum;
}

int RankLevels::lower_half(int first, int count) const {
  const auto begin = std::upper_bound(node_begin.begin(), node_begin.end(), first);
  const auto borders = std::lower_bound(begin, node_begin.end(), first + count) - begin;
  return borders == 0 ? count / 2 : begin[(borders + 1) / 2 - 1] - first;
}

std::vector<RankLevels::Node> RankLevels::nodes() const {
  std::vector<Node> all;
  for (std::size_t n = 0; n + 1 < node_begin.size(); ++n) {
    auto& here = all.emplace_back();
    for (auto k = static_cast<std::size_t>(node_begin[n]);
         k < static_cast<std::size_t>(node_begin[n + 1]); ++k) {
      here.ranks.push_back(ranks[k]);
      here.part.push_back(part_before[k + 1] - part_before[k]);
    }
  }
  return all;
}

}  // namespace nfold::domain
