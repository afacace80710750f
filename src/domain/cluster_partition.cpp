// Graph partitioning by METIS: over nodes, then over the ranks of each.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/cluster_partition.hpp"

#include <metis.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace nfold::domain {
namespace {

constexpr idx_t seed = 1;
constexpr idx_t imbalance = 10;  // METIS' unit: thousandths
/// Graphs of at most few_residues are cut several times and the best cut is kept. Smaller graphs
/// get more trials, since their best cuts are rare.
constexpr std::size_t few_residues = 50'000, residues_of_all_trials = 100'000;
constexpr std::size_t least_trials = 8, most_trials = 200;

idx_t trial_count(std::size_t residues) {
  if (residues > few_residues) return 1;
  return static_cast<idx_t>(
      std::clamp(residues_of_all_trials / residues, least_trials, most_trials));
}

constexpr std::size_t few_parts =
    8;  // METIS makes few parts by bisection, which cuts less and balances better
constexpr double vertex_sum = 0x1p28;  // below METIS' 31 bits, with headroom for its own sums

/// Graph in METIS' arrays.
struct MetisGraph {
  std::vector<idx_t> first, neighbour, edge_weight, vertex_weight;

  [[nodiscard]] bool is_connected() const {
    std::vector<char> seen(vertex_weight.size(), 0);
    std::vector<std::size_t> open{0};
    seen[0] = 1;
    std::size_t reached = 1;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (auto k = first[at]; k < first[at + 1]; ++k) {
        const auto other = static_cast<std::size_t>(neighbour[static_cast<std::size_t>(k)]);
        if (seen[other] != 0) continue;
        seen[other] = 1;
        ++reached;
        open.push_back(other);
      }
    }
    return reached == vertex_weight.size();
  }
};

class Clusters {
 public:
  Clusters(const ResidueGraph& graph, const WorkShares& shares)
      : graph_(graph), shares_(shares), owner_(shares.of.size(), 0) {}

  /// Distributes the residues over groups of ranks. Returns (groups) the residues of each.
  [[nodiscard]] std::vector<std::vector<int>> split(const std::vector<int>& residues,
                                                    const std::vector<double>& part) const {
    std::vector<std::vector<int>> groups(part.size());
    if (part.size() == 1 || residues.empty()) {
      groups[0] = residues;
      return groups;
    }
    const auto part_index = residues.size() <= 2 * part.size() ? split_in_order(residues, part)
                                                               : split_by_metis(residues, part);
    for (std::size_t v = 0; v < residues.size(); ++v) {
      groups[static_cast<std::size_t>(part_index[v])].push_back(residues[v]);
    }
    fill_empty(groups);
    return groups;
  }
  void assign_owner(const std::vector<int>& residues, int rank) {
    for (const int id : residues) owner_[static_cast<std::size_t>(id)] = rank;
  }
  [[nodiscard]] Ownership take() { return std::move(owner_); }

 private:
  /// Distributes residues in order, if they are too few for METIS.
  static std::vector<idx_t> split_in_order(const std::vector<int>& residues,
                                           const std::vector<double>& part) {
    std::vector<idx_t> part_index(residues.size());
    for (std::size_t v = 0; v < part_index.size(); ++v) {
      part_index[v] =
          static_cast<idx_t>(v * part.size() / std::max(part_index.size(), part.size()));
    }
    return part_index;
  }

  [[nodiscard]] MetisGraph metis_graph(const std::vector<int>& residues) const {
    const bool is_whole = residues.size() + 1 == graph_.first.size();
    const auto cut = is_whole ? ResidueGraph() : subgraph(graph_, residues);
    const auto& part = is_whole ? graph_ : cut;
    const auto edge_sum = std::accumulate(part.weight.begin(), part.weight.end(), std::int64_t{0});
    if (edge_sum > std::numeric_limits<idx_t>::max()) {
      throw std::invalid_argument("a graph of " + std::to_string(residues.size()) +
                                  " residues is too large for METIS with " +
                                  std::to_string(IDXTYPEWIDTH) + "-bit numbers");
    }
    MetisGraph graph;
    graph.first.assign(part.first.begin(), part.first.end());
    graph.neighbour.assign(part.neighbour.begin(), part.neighbour.end());
    graph.edge_weight.assign(part.weight.begin(), part.weight.end());
    const auto share = [this](int id) { return shares_.of[static_cast<std::size_t>(id)]; };
    std::uint64_t total = 0;
    for (const int id : residues) total += share(id);
    const double scale = total > 0 ? vertex_sum / static_cast<double>(total) : 0;
    for (const int id : residues) {
      graph.vertex_weight.push_back(static_cast<idx_t>(static_cast<double>(share(id)) * scale));
    }
    return graph;
  }

  [[nodiscard]] std::vector<idx_t> split_by_metis(const std::vector<int>& residues,
                                                  const std::vector<double>& part) const {
    auto graph = metis_graph(residues);
    std::vector<real_t> target;
    target.reserve(part.size());
    const double sum = std::accumulate(part.begin(), part.end(), 0.0);
    for (const double one : part) target.push_back(static_cast<real_t>(one / sum));
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_UFACTOR] = imbalance;
    options[METIS_OPTION_NCUTS] = trial_count(residues.size());
    // METIS refuses the option for other graphs, and bisections do not need it.
    options[METIS_OPTION_CONTIG] = part.size() > few_parts && graph.is_connected() ? 1 : 0;
    auto vertices = static_cast<idx_t>(residues.size()), parts = static_cast<idx_t>(part.size());
    idx_t constraints = 1, cut = 0;
    std::vector<idx_t> part_index(residues.size());
    const auto by = part.size() <= few_parts ? METIS_PartGraphRecursive : METIS_PartGraphKway;
    const int result = by(&vertices, &constraints, graph.first.data(), graph.neighbour.data(),
                          graph.vertex_weight.data(), nullptr, graph.edge_weight.data(), &parts,
                          target.data(), nullptr, options, &cut, part_index.data());
    if (result != METIS_OK) {
      throw std::runtime_error("METIS gave no partition of " + std::to_string(residues.size()) +
                               " residues over " + std::to_string(parts) + " ranks (code " +
                               std::to_string(result) + "); choose another partition.method");
    }
    return part_index;
  }

  /// METIS may leave a part empty: it gets the later half of the part with the most residues.
  static void fill_empty(std::vector<std::vector<int>>& groups) {
    for (auto& group : groups) {
      if (!group.empty()) continue;
      auto& largest =
          *std::max_element(groups.begin(), groups.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
      if (largest.size() < 2) return;
      const auto middle = largest.begin() + static_cast<std::ptrdiff_t>((largest.size() + 1) / 2);
      group.assign(middle, largest.end());
      largest.erase(middle, largest.end());
    }
  }

  const ResidueGraph& graph_;
  const WorkShares& shares_;
  Ownership owner_;
};

}  // namespace

Ownership contact_clusters(const ResidueGraph& graph, std::span<const double> work, int rank_count,
                           std::span<const double> speed, std::span<const int> node) {
  const WorkShares shares(work, {rank_count, speed, node});
  if (graph.first.size() != work.size() + 1) {
    throw std::invalid_argument("a graph of " + std::to_string(graph.first.size()) +
                                " - 1 residues with the work of " + std::to_string(work.size()));
  }
  Clusters clusters(graph, shares);
  if (shares.total == 0) return clusters.take();
  std::vector<int> all(work.size());
  std::iota(all.begin(), all.end(), 0);
  divide_by_levels(
      shares.levels, std::move(all),
      [&](const auto& residues, const auto& part) { return clusters.split(residues, part); },
      [&](const auto& residues, int rank) { clusters.assign_owner(residues, rank); });
  return clusters.take();
}

}  // namespace nfold::domain
