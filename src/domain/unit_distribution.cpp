// Largest unit first, then a local search.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/unit_distribution.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace nfold::domain {
namespace {

constexpr double placement_limit =
    1.02;                        // limit over a group's part while the largest units are placed
constexpr double even = 1.03;    // work over a group's part that counts as balanced
constexpr int most_rounds = 20;  // rounds of the search
constexpr std::size_t few_units = 400;  // up to this number, pairs are exchanged too

class Distribution {
 public:
  Distribution(std::span<const TiedUnit> units, std::span<const double> part)
      : units_(units),
        part_(part.begin(), part.end()),
        group_(units.size(), none),
        work_(part.size(), 0),
        cut_(part.size(), 0) {
    const double sum = std::accumulate(part_.begin(), part_.end(), 0.0);
    double all = 0;
    for (const auto& unit : units) all += unit.work;
    for (double& one : part_) one *= all / sum;
  }

  void search_from(std::span<const std::size_t> start) {
    if (start.empty()) {
      place_all();
    } else {
      for (std::size_t u = 0; u < units_.size(); ++u) put(u, start[u]);
    }
    for (int round = 0; round < most_rounds && improve(); ++round) {
    }
  }
  [[nodiscard]] bool is_better_than(const Distribution& other) const {
    return cost().is_below(other.cost());
  }
  [[nodiscard]] std::vector<std::size_t> take() { return std::move(group_); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Work of the worst group over its part; among balanced ones the cut weight decides.
  struct Cost {
    double worst = 0, cut = 0;
    [[nodiscard]] bool is_below(const Cost& other) const {
      constexpr double rounding = 1e-9;
      if (worst < other.worst * (1 - rounding)) return true;
      return worst <= other.worst * (1 + rounding) && cut < other.cut * (1 - rounding);
    }
  };
  [[nodiscard]] Cost cost() const {
    Cost cost;
    for (std::size_t g = 0; g < part_.size(); ++g) {
      cost.worst = std::max(cost.worst, work_[g] / part_[g]);
      cost.cut += cut_[g];
    }
    cost.worst = std::max(cost.worst, even);
    return cost;
  }

  void place_all() {
    std::vector<std::size_t> order(units_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return units_[a].work > units_[b].work;
    });
    for (const std::size_t u : order) put(u, first_place(u));
  }
  [[nodiscard]] std::size_t first_place(std::size_t u) const {
    std::vector<double> ties(part_.size(), 0);
    for (const auto& [other, weight] : units_[u].ties) {
      const auto g = group_[static_cast<std::size_t>(other)];
      if (g != none) ties[g] += weight;
    }
    std::size_t best = none, emptiest = 0;
    for (std::size_t g = 0; g < part_.size(); ++g) {
      if (work_[g] / part_[g] < work_[emptiest] / part_[emptiest]) emptiest = g;
      const bool fits = work_[g] + units_[u].work <= placement_limit * part_[g];
      if (fits && ties[g] > 0 && (best == none || ties[g] > ties[best])) best = g;
    }
    return best == none ? emptiest : best;
  }

  /// Each side of a cut edge has half of its cost.
  void put(std::size_t u, std::size_t to) {
    const std::size_t from = group_[u];
    for (const auto& [other, weight] : units_[u].ties) {
      const auto g = group_[static_cast<std::size_t>(other)];
      if (g == none) continue;
      if (from != none && g != from) cut_[g] -= weight / 2, cut_[from] -= weight / 2;
      if (g != to) cut_[g] += weight / 2, cut_[to] += weight / 2;
    }
    if (from != none) work_[from] -= units_[u].work;
    work_[to] += units_[u].work;
    group_[u] = to;
  }

  bool improve() {
    bool any = false;
    Cost now = cost();
    const auto kept = [&] {
      const Cost then = cost();
      if (!then.is_below(now)) return false;
      now = then;
      return any = true;
    };
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (std::size_t g = 0; g < part_.size(); ++g) {
        const std::size_t from = group_[u];
        if (g == from) continue;
        put(u, g);
        if (!kept()) put(u, from);
      }
    }
    if (units_.size() > few_units) return any;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (std::size_t v = u + 1; v < units_.size(); ++v) {
        const std::size_t a = group_[u], b = group_[v];
        if (a == b) continue;
        put(u, b);
        put(v, a);
        if (kept()) continue;
        put(v, b);
        put(u, a);
      }
    }
    return any;
  }

  std::span<const TiedUnit> units_;
  std::vector<double> part_;  // (groups) target work
  std::vector<std::size_t> group_;
  std::vector<double> work_, cut_;  // (groups)
};

}  // namespace

std::vector<std::size_t> distribute_units(std::span<const TiedUnit> units,
                                          std::span<const double> part,
                                          std::span<const std::size_t> start) {
  Distribution largest_first(units, part);
  largest_first.search_from({});
  if (start.empty()) return largest_first.take();
  Distribution other(units, part);
  other.search_from(start);
  return other.is_better_than(largest_first) ? other.take() : largest_first.take();
}

}  // namespace nfold::domain
