// Edges of terms and of near pairs, collected by residue and merged.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/residue_graph.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "domain/position_cells.hpp"
#include "system/occupied_cells.hpp"

namespace nfold::domain {
namespace {

struct Edge {
  int i, j, weight;
};

// One of about eight near residues that are cut off together becomes a ghost (WorkCosts::ghost),
// and so do those behind it, up to the range.
constexpr int near_weight = 4;

// Larger for a native contact, whose residues stay ghosts at any distance between them. With 2 to 4
// parts of five native structures, 20 gives two thirds of the cuts of 0, with an estimated step 1 %
// longer; 24 cuts 79 contacts of 1tii on two ranks rather than 84, with steps of all five within
// 0.3 % of those of 20. 32 cuts little less, and costs up to 2 %.
constexpr int contact_weight = 24;

/// Adds edges between neighbours along a term, which share the cost of computing it twice.
void add_term_edges(const topology::Topology& topology, std::vector<Edge>& edges) {
  topology::BondedKinds::for_each([&](auto kind) {
    using Kind = decltype(kind);
    constexpr auto ends = static_cast<double>(topology::residues_per_term<typename Kind::Term>);
    constexpr bool is_contact = topology::is_native_contact<Kind>;
    const int weight = static_cast<int>(std::lround(Kind::work * ends / (ends - 1))) +
                       (is_contact ? contact_weight : 0);
    for (const auto& term : terms_of(topology, kind)) {
      const auto residues = term.parts().residues;
      for (std::size_t k = 1; k < residues.size(); ++k) {
        edges.push_back({residues[k - 1], residues[k], weight});
      }
    }
  });
}

void add_near_pairs(const system::Box& box, std::span<const system::FixedPosition> positions,
                    std::vector<Edge>& edges) {
  const auto grid = grid_of(box, positions, edge_distance_nm);
  auto sorted = sort_by_cell(grid, positions);
  const auto is_near = [&](int i, int j) {
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto apart =
          positions[static_cast<std::size_t>(i)][k] - positions[static_cast<std::size_t>(j)][k];
      const double nm = box.nearest_nm(k, box.to_nm(k, apart));
      squared += nm * nm;
    }
    return squared < edge_distance_nm * edge_distance_nm;
  };
  const system::OccupiedCells cells(grid, std::move(sorted.keys));
  for (std::size_t c = 0; c < cells.size(); ++c) {
    cells.for_each_near(cells.cell(c), 1, [&](std::size_t other) {
      for (auto a = sorted.first[c]; a < sorted.first[c + 1]; ++a) {
        for (auto b = sorted.first[other]; b < sorted.first[other + 1]; ++b) {
          const auto i = static_cast<int>(sorted.rows[a]), j = static_cast<int>(sorted.rows[b]);
          if (i < j && is_near(i, j)) edges.push_back({i, j, near_weight});
        }
      }
    });
  }
}

ResidueGraph merged(std::size_t residues, const std::vector<Edge>& edges) {
  std::vector<std::int64_t> place(residues + 1, 0);
  for (const auto& edge : edges) {
    ++place[static_cast<std::size_t>(edge.i)];
    ++place[static_cast<std::size_t>(edge.j)];
  }
  std::int64_t sum = 0;
  for (auto& entry : place) entry = std::exchange(sum, sum + entry);
  const auto begin = place;
  std::vector<std::pair<int, int>> ends(static_cast<std::size_t>(sum));
  const auto put = [&](int at, int other, int weight) {
    ends[static_cast<std::size_t>(place[static_cast<std::size_t>(at)]++)] = {other, weight};
  };
  for (const auto& edge : edges) {
    put(edge.i, edge.j, edge.weight);
    put(edge.j, edge.i, edge.weight);
  }
  ResidueGraph graph;
  graph.first.reserve(residues + 1);
  for (std::size_t id = 0; id < residues; ++id) {
    graph.first.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
    const auto low = ends.begin() + begin[id], high = ends.begin() + begin[id + 1];
    std::sort(low, high);
    int last = -1;
    for (auto end = low; end != high; ++end) {
      if (end->first != last) {
        graph.neighbour.push_back(last = end->first);
        graph.weight.push_back(0);
      }
      graph.weight.back() += end->second;
    }
  }
  graph.first.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  return graph;
}

}  // namespace

ResidueGraph residue_graph(const topology::Topology& topology,
                           std::span<const system::FixedPosition> positions) {
  if (positions.size() != topology.residues.size()) {
    throw std::invalid_argument("a graph of " + std::to_string(topology.residues.size()) +
                                " residues from positions of " + std::to_string(positions.size()));
  }
  std::vector<Edge> edges;
  add_term_edges(topology, edges);
  add_near_pairs(topology.box, positions, edges);
  return merged(positions.size(), edges);
}

ResidueGraph subgraph(const ResidueGraph& graph, std::span<const int> residues) {
  ResidueGraph part;
  part.first.push_back(0);
  for (const int id : residues) {
    const auto r = static_cast<std::size_t>(id);
    for (auto k = graph.first[r]; k < graph.first[r + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto row = std::lower_bound(residues.begin(), residues.end(), graph.neighbour[at]);
      if (row == residues.end() || *row != graph.neighbour[at]) continue;
      part.neighbour.push_back(static_cast<int>(row - residues.begin()));
      part.weight.push_back(graph.weight[at]);
    }
    part.first.push_back(static_cast<std::int64_t>(part.neighbour.size()));
  }
  return part;
}

}  // namespace nfold::domain
