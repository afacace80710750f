// Louvain method: single moves until none helps, then whole communities move as one.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/communities.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace nfold::domain {
namespace {

constexpr int most_rounds = 50;  // moves at one level; a few suffice

/// Graph whose nodes stand for sets of residues.
struct Level {
  std::vector<std::size_t> first;  // (nodes + 1)
  std::vector<std::size_t> neighbour;
  std::vector<double> weight;  // integers
  std::vector<double> degree;  // (nodes) including twice the weight between its own residues

  [[nodiscard]] std::size_t nodes() const { return degree.size(); }
};

Level level_of(const ResidueGraph& graph) {
  Level level;
  level.first.assign(graph.first.begin(), graph.first.end());
  level.neighbour.assign(graph.neighbour.begin(), graph.neighbour.end());
  level.weight.assign(graph.weight.begin(), graph.weight.end());
  for (std::size_t v = 0; v + 1 < level.first.size(); ++v) {
    double sum = 0;
    for (auto k = level.first[v]; k < level.first[v + 1]; ++k) sum += level.weight[k];
    level.degree.push_back(sum);
  }
  return level;
}

/// Sums of weights by the number of the neighbour's community.
class Ties {
 public:
  explicit Ties(std::size_t numbers) : sum_(numbers, 0) {}
  void add(std::size_t number, double weight) {
    if (sum_[number] == 0) found_.push_back(number);
    sum_[number] += weight;
  }
  [[nodiscard]] double to(std::size_t number) const { return sum_[number]; }
  [[nodiscard]] const std::vector<std::size_t>& found() const { return found_; }
  void clear() {
    for (const auto number : found_) sum_[number] = 0;
    found_.clear();
  }

 private:
  std::vector<double> sum_;
  std::vector<std::size_t> found_;
};

/// Returns (nodes) the community of each after single moves; empty if no move helps.
std::vector<std::size_t> moved_nodes(const Level& level) {
  const double all = std::accumulate(level.degree.begin(), level.degree.end(), 0.0);
  std::vector<std::size_t> community(level.nodes());
  std::iota(community.begin(), community.end(), std::size_t{0});
  std::vector<double> degree = level.degree;  // total degree of each community
  Ties ties(level.nodes());
  bool any = false, again = true;
  for (int round = 0; again && round < most_rounds; ++round) {
    again = false;
    for (std::size_t v = 0; v < level.nodes(); ++v) {
      for (auto k = level.first[v]; k < level.first[v + 1]; ++k) {
        ties.add(community[level.neighbour[k]], level.weight[k]);
      }
      const std::size_t own = community[v];
      degree[own] -= level.degree[v];
      // Modularity gained by joining, up to a common factor.
      const auto gain = [&](std::size_t c) {
        return ties.to(c) * all - degree[c] * level.degree[v];
      };
      std::size_t best = own;
      double most = gain(own);
      for (const std::size_t c : ties.found()) {
        const double here = gain(c);
        if (here > most || (here == most && best != own && c < best)) {
          best = c;
          most = here;
        }
      }
      degree[best] += level.degree[v];
      community[v] = best;
      again = again || best != own;
      ties.clear();
    }
    any = any || again;
  }
  return any ? community : std::vector<std::size_t>();
}

/// Renumbers communities from 0 by their first members. Returns their number.
std::size_t renumber(std::vector<std::size_t>& community) {
  std::vector<std::size_t> number(community.size(), community.size());
  std::size_t count = 0;
  for (auto& c : community) {
    if (number[c] == community.size()) number[c] = count++;
    c = number[c];
  }
  return count;
}

/// Makes each community a node.
Level joined(const Level& level, const std::vector<std::size_t>& community, std::size_t count) {
  std::vector<std::vector<std::size_t>> members(count);
  for (std::size_t v = 0; v < community.size(); ++v) members[community[v]].push_back(v);
  Level next;
  Ties ties(count);
  next.first.push_back(0);
  for (std::size_t c = 0; c < count; ++c) {
    double degree = 0;
    for (const auto v : members[c]) {
      degree += level.degree[v];
      for (auto k = level.first[v]; k < level.first[v + 1]; ++k) {
        const auto other = community[level.neighbour[k]];
        if (other != c) ties.add(other, level.weight[k]);
      }
    }
    for (const auto other : ties.found()) {
      next.neighbour.push_back(other);
      next.weight.push_back(ties.to(other));
    }
    ties.clear();
    next.first.push_back(next.neighbour.size());
    next.degree.push_back(degree);
  }
  return next;
}

}  // namespace

std::vector<int> communities(const ResidueGraph& graph) {
  Level level = level_of(graph);
  std::vector<std::size_t> of_residue(level.nodes());
  std::iota(of_residue.begin(), of_residue.end(), std::size_t{0});
  for (auto community = moved_nodes(level); !community.empty(); community = moved_nodes(level)) {
    const std::size_t count = renumber(community);
    for (auto& node : of_residue) node = community[node];
    level = joined(level, community, count);
  }
  return {of_residue.begin(), of_residue.end()};
}

}  // namespace nfold::domain
