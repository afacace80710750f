// Counts of terms, ghosts and neighbours of each rank.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/rank_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/forces/chain_table.hpp"
#include "engine/forces/row_lists.hpp"
#include "engine/near_ranks.hpp"
#include "system/cell_list.hpp"

namespace nfold::engine {
namespace {

using domain::RankCounts;

constexpr std::size_t sampled_rows = 40'000;

std::size_t at(int id) { return static_cast<std::size_t>(id); }

/// Calls visit(rank) for each rank of a bit mask.
template <class Visit>
void for_each_rank(std::uint64_t mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
}

/// Returns the squared distance of the nearest images [nm^2].
double squared_nm(const system::Box& box, const std::array<double, 3>& a,
                  const std::array<double, 3>& b) {
  double squared = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = box.nearest_nm(k, a[k] - b[k]);
    squared += d * d;
  }
  return squared;
}

/// Bounding box of positions [nm].
class Extent {
 public:
  void add(const std::array<double, 3>& x_nm) {
    for (std::size_t k = 0; k < 3; ++k) {
      low_nm_[k] = std::min(low_nm_[k], x_nm[k]);
      high_nm_[k] = std::max(high_nm_[k], x_nm[k]);
    }
  }
  [[nodiscard]] double length(std::size_t axis) const {
    return std::max(0.0, high_nm_[axis] - low_nm_[axis]);
  }

 private:
  std::array<double, 3> low_nm_{1e30, 1e30, 1e30}, high_nm_{-1e30, -1e30, -1e30};
};

/// Coordinates of points, each axis in an array of its own for vector instructions.
class Cloud {
 public:
  void clear() {
    for (auto& axis : x_nm_) axis.clear();
  }
  void add(const std::array<double, 3>& x_nm) {
    for (std::size_t k = 0; k < 3; ++k) x_nm_[k].push_back(x_nm[k]);
  }
  /// Computes the squared distances of the nearest images to a point [nm^2].
  void measure(const system::Box& box, const std::array<double, 3>& from_nm) {
    squared_nm_.assign(x_nm_[0].size(), 0);
    for (std::size_t k = 0; k < 3; ++k) {
      const double* const x_nm = x_nm_[k].data();
      double* const squared_nm = squared_nm_.data();
      const double length_nm = box.length_nm[k], turns = length_nm > 0 ? 1 / length_nm : 0;
      for (std::size_t i = 0; i < squared_nm_.size(); ++i) {
        const double far = x_nm[i] - from_nm[k];
        const double near = far - length_nm * std::nearbyint(far * turns);
        squared_nm[i] += near * near;
      }
    }
  }
  /// Returns how many points are closer than range_nm to the point of measure().
  [[nodiscard]] int count_within(double range_nm) const {
    const double most = range_nm * range_nm;
    std::int64_t count = 0;
    for (const double squared : squared_nm_) count += squared < most ? 1 : 0;
    return static_cast<int>(count);
  }

 private:
  std::array<std::vector<double>, 3> x_nm_;
  std::vector<double> squared_nm_;
};

/// Counts neighbours of some residues.
class Sampler {
 public:
  Sampler(const topology::Topology& topology, const system::State& state)
      : topology_(topology), excluded_first_(topology.residues.size() + 1, 0) {
    for (const auto& x : state.position) {
      x_nm_.push_back(system::position_nm(topology_.box, x));
    }
    for (const auto& [i, j] : topology_.exclusions) {
      ++excluded_first_[at(i) + 1];
      ++excluded_first_[at(j) + 1];
    }
    std::partial_sum(excluded_first_.begin(), excluded_first_.end(), excluded_first_.begin());
    excluded_.resize(static_cast<std::size_t>(excluded_first_.back()));
    auto next = excluded_first_;
    for (const auto& [i, j] : topology_.exclusions) {
      excluded_[static_cast<std::size_t>(next[at(i)]++)] = j;
      excluded_[static_cast<std::size_t>(next[at(j)]++)] = i;
    }
  }

  /// (ranges) Counts neighbours of residues, or of charged residues among each other, within
  /// several ranges at once.
  [[nodiscard]] std::vector<NeighbourSample::List> neighbours(const std::vector<double>& ranges_nm,
                                                              bool of_charged) const {
    std::vector<int> ids;
    std::vector<std::array<double, 3>> x_nm;
    for (int id = 0; id < topology_.residue_count(); ++id) {
      if (of_charged && !is_charged(id)) continue;
      ids.push_back(id);
      x_nm.push_back(x_nm_[at(id)]);
    }
    const std::size_t stride = (ids.size() + sampled_rows - 1) / sampled_rows;
    std::vector<NeighbourSample::List> lists;
    for (const double range_nm : ranges_nm) {
      auto& list = lists.emplace_back(NeighbourSample::List{range_nm, {}, {}});
      for (std::size_t k = 0; k < ids.size(); k += stride) list.id.push_back(ids[k]);
      list.neighbours.resize(list.id.size());
    }
    if (ids.empty()) return lists;
    const system::CellList cells(topology_.box, x_nm, std::ranges::max(ranges_nm));
    Cloud near;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      bool is_gathered = false;
      for (const auto& point : cells.points_of(c)) {
        if (at(point.index) % stride != 0) continue;
        if (!is_gathered) {
          near.clear();
          cells.for_each_near_cell(c, [&](const auto& other) { near.add(other.x_nm); });
          is_gathered = true;
        }
        near.measure(topology_.box, point.x_nm);
        for (auto& list : lists) {
          const int count = near.count_within(list.range_nm) - 1;  // excludes the residue itself
          list.neighbours[at(point.index) / stride] = std::max(
              0, count - count_excluded(at(ids[at(point.index)]), list.range_nm, of_charged));
        }
      }
    }
    return lists;
  }

 private:
  /// Returns how many exclusions of a residue, or of its charge, are within the range.
  [[nodiscard]] int count_excluded(std::size_t id, double range_nm, bool of_charged) const {
    int count = 0;
    for (auto e = excluded_first_[id]; e < excluded_first_[id + 1]; ++e) {
      const int other = excluded_[static_cast<std::size_t>(e)];
      if (of_charged && (!is_charged(other) || keeps_charges(static_cast<int>(id), other)))
        continue;
      count += is_within(x_nm_[id], x_nm_[at(other)], range_nm) ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] bool is_charged(int id) const { return topology_.residues[at(id)].charge_e != 0; }
  [[nodiscard]] bool keeps_charges(int i, int j) const {
    const std::pair<int, int> pair = std::minmax(i, j);
    return std::ranges::binary_search(topology_.charged_exclusions, pair);
  }
  [[nodiscard]] bool is_within(const std::array<double, 3>& a, const std::array<double, 3>& b,
                               double range_nm) const {
    return squared_nm(topology_.box, a, b) < range_nm * range_nm;
  }

  const topology::Topology& topology_;
  std::vector<std::array<double, 3>> x_nm_;   // (residues)
  std::vector<std::int64_t> excluded_first_;  // (residues + 1)
  std::vector<int> excluded_;
};

class Counter {
 public:
  Counter(const CompleteSystem& system, const domain::Ownership& owner, int rank_count,
          std::span<const int> node)
      : topology_(system.topology),
        settings_(system.settings),
        owner_(owner),
        node_(node),
        ranks_(static_cast<std::size_t>(rank_count)) {
    const auto& box = topology_.box;
    x_nm_.reserve(system.state.position.size());
    for (const auto& x : system.state.position) x_nm_.push_back(system::position_nm(box, x));
  }

  std::vector<RankCounts> run(const NeighbourSample& sample) {
    begin();
    count_terms();
    count_exclusions();
    if (ranks_.size() > 1) count_ghosts();
    measure_extents();
    count_candidates();
    add_neighbours(sample.pairs, &RankCounts::pairs);
    add_neighbours(sample.charges, &RankCounts::charges);
    return std::move(ranks_);
  }

 private:
  [[nodiscard]] RankCounts& of_owner(int id) { return ranks_[at(owner_[at(id)])]; }
  [[nodiscard]] bool is_charged(int id) const { return topology_.residues[at(id)].charge_e != 0; }

  void begin() {
    const bool is_uniform = forces::ChainTable::is_uniform(topology_);
    for (auto& counts : ranks_) {
      counts.residues = topology_.residue_count();
      counts.ranks = static_cast<int>(ranks_.size());
      counts.box = topology_.box;
      counts.is_uniform_chain = is_uniform;
      counts.in_biases.assign(topology_.biases.size(), 0);
    }
    for (int id = 0; id < topology_.residue_count(); ++id) {
      auto& counts = of_owner(id);
      ++counts.owned;
      counts.charged += is_charged(id) ? 1 : 0;
    }
    for (std::size_t b = 0; b < topology_.biases.size(); ++b) {
      for (const int id : topology_.biases[b].variable.residues) ++of_owner(id).in_biases[b];
    }
  }

  void count_terms() {
    std::vector<int> ends_of_residue(topology_.residues.size(), 0);
    for (std::size_t kind = 0; kind < domain::term_kinds; ++kind) {
      double extent_nm = 0;
      int terms = 0;
      domain::for_each_term(topology_, kind, [&](int, const auto& ids) {
        for (const int id : ids) ++ends_of_residue[at(id)];
        extent_nm +=
            std::sqrt(squared_nm(topology_.box, x_nm_[at(ids.front())], x_nm_[at(ids.back())]));
        ++terms;
        const int first = owner_[at(ids[0])];
        const bool is_inner =
            std::all_of(ids.begin(), ids.end(), [&](int id) { return owner_[at(id)] == first; });
        if (is_inner) {
          ++ranks_[at(first)].inner_terms[kind];
          return;
        }
        for (auto one = ids.begin(); one != ids.end(); ++one) {
          const int rank = owner_[at(*one)];
          const bool is_first = std::none_of(
              ids.begin(), one, [&](int before) { return owner_[at(before)] == rank; });
          if (!is_first) continue;
          ++ranks_[at(rank)].border_terms[kind];
          for (const int other : ids) {
            if (owner_[at(other)] != rank) partners_.emplace_back(rank, other);
          }
        }
      });
      for (auto& counts : ranks_) counts.term_extent_nm[kind] = extent_nm / std::max(1, terms);
    }
    std::sort(partners_.begin(), partners_.end());
    partners_.erase(std::unique(partners_.begin(), partners_.end()), partners_.end());
    for (const auto& [rank, id] : partners_) {
      ++ranks_[at(rank)].partners;
      ++of_owner(id).halo.sent_partners;
    }
    std::vector<std::vector<int>> rows(ranks_.size());
    for (std::size_t id = 0; id < ends_of_residue.size(); ++id) {
      rows[at(owner_[id])].push_back(ends_of_residue[id]);
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].longest_end_lists = forces::RowListArrays::longest_of_groups(rows[r]);
    }
  }

  void count_exclusions() {
    for (const auto& [i, j] : topology_.exclusions) {
      ++of_owner(i).exclusions;
      ++of_owner(j).exclusions;
    }
  }

  void count_ghosts() {
    const auto ranges = ghost_ranges(topology_, settings_);
    near_ = near_ranks(topology_.box, x_nm_, owner_, {}, ranges.all_nm);
    if (ranges.charged_nm > 0) {
      std::vector<char> charged(x_nm_.size());
      for (std::size_t i = 0; i < charged.size(); ++i) {
        charged[i] = is_charged(static_cast<int>(i)) ? 1 : 0;
      }
      const auto more = near_ranks(topology_.box, x_nm_, owner_, charged, ranges.charged_nm);
      for (std::size_t i = 0; i < near_.size(); ++i) near_[i] |= more[i];
    }
    for (const auto& [rank, id] : partners_) near_[at(id)] |= std::uint64_t{1} << at(rank);
    const auto far = find_far_ranks();
    std::vector<std::uint64_t> peers(ranks_.size(), 0);
    for (std::size_t i = 0; i < near_.size(); ++i) {
      const auto rank = at(owner_[i]);
      near_[i] &= ~(std::uint64_t{1} << rank);
      ranks_[rank].halo.sent += std::popcount(near_[i]);
      ranks_[rank].halo.sent_far += std::popcount(near_[i] & far[rank]);
      peers[rank] |= near_[i];
      for_each_rank(near_[i], [&](std::size_t other) { ++ranks_[other].other_ghosts; });
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      auto& counts = ranks_[r];
      counts.other_ghosts -= counts.partners;
      counts.halo.peers = std::popcount(peers[r]);
      counts.halo.far_peers = std::popcount(peers[r] & far[r]);
      counts.halo.near_share = static_cast<double>(counts.halo.sent) /
                               static_cast<double>(std::max<std::int64_t>(1, counts.residues));
    }
  }

  /// (ranks) Returns bit masks of the ranks on other nodes.
  [[nodiscard]] std::vector<std::uint64_t> find_far_ranks() const {
    std::vector<std::uint64_t> far(ranks_.size(), 0);
    for (std::size_t r = 0; r < node_.size(); ++r) {
      for (std::size_t other = 0; other < node_.size(); ++other) {
        if (node_[other] != node_[r]) far[r] |= std::uint64_t{1} << other;
      }
    }
    return far;
  }

  void measure_extents() {
    std::vector<Extent> of_rank(ranks_.size());
    Extent of_all;
    for (std::size_t i = 0; i < x_nm_.size(); ++i) {
      of_all.add(x_nm_[i]);
      of_rank[at(owner_[i])].add(x_nm_[i]);
      if (near_.empty()) continue;
      for_each_rank(near_[i], [&](std::size_t rank) { of_rank[rank].add(x_nm_[i]); });
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t k = 0; k < 3; ++k) {
        const bool wraps = topology_.box.is_periodic(k);
        const double length_nm = topology_.box.length_nm[k];
        ranks_[r].spread_nm[k] = wraps ? length_nm : of_all.length(k);
        ranks_[r].extent_nm[k] = wraps ? length_nm : of_rank[r].length(k);
      }
    }
  }

  void count_candidates() {
    const bool acts = topology_.electrostatics.acts();
    for (auto& counts : ranks_) {
      counts.pairs.rows = counts.owned;
      counts.pairs.candidates = counts.rows();
      if (acts) counts.charges.rows = counts.charges.candidates = counts.charged;
    }
    if (!acts) return;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      if (!is_charged(static_cast<int>(i))) continue;
      for_each_rank(near_[i], [&](std::size_t rank) { ++ranks_[rank].charges.candidates; });
    }
  }

  void add_neighbours(const NeighbourSample::List& list,
                      domain::NeighbourCounts RankCounts::*neighbours) {
    for (auto& counts : ranks_) (counts.*neighbours).range_nm = list.range_nm;
    for (std::size_t k = 0; k < list.id.size(); ++k) {
      (of_owner(list.id[k]).*neighbours).sample.push_back(list.neighbours[k]);
    }
  }

  const topology::Topology& topology_;
  const EngineSettings& settings_;
  const domain::Ownership& owner_;
  std::span<const int> node_;  // (ranks), or empty
  std::vector<RankCounts> ranks_;
  std::vector<std::array<double, 3>> x_nm_;    // (residues)
  std::vector<std::pair<int, int>> partners_;  // rank that needs a residue for a term; residue id
  std::vector<std::uint64_t>
      near_;  // (residues) bit mask of the ranks that have the residue as a ghost
};

}  // namespace

std::vector<NeighbourSample> sample_neighbours(const topology::Topology& topology,
                                               const system::State& state,
                                               std::span<const ListReach> reaches) {
  const Sampler sampler(topology, state);
  std::vector<NeighbourSample> samples(reaches.size());
  const auto sample = [&](double ListReach::*cutoff_nm,
                          NeighbourSample::List NeighbourSample::*of) {
    std::vector<double> ranges_nm;
    for (const auto& reach : reaches) ranges_nm.push_back(reach.*cutoff_nm + reach.skin_nm);
    auto lists = sampler.neighbours(ranges_nm, cutoff_nm == &ListReach::charge_nm);
    for (std::size_t k = 0; k < lists.size(); ++k) samples[k].*of = std::move(lists[k]);
  };
  sample(&ListReach::short_range_nm, &NeighbourSample::pairs);
  if (topology.electrostatics.acts()) sample(&ListReach::charge_nm, &NeighbourSample::charges);
  return samples;
}

NeighbourSample sample_neighbours(const CompleteSystem& system) {
  const auto reach = first_reach(system.topology, system.settings);
  return sample_neighbours(system.topology, system.state, std::span(&reach, 1)).front();
}

std::vector<RankCounts> count_ranks(const CompleteSystem& system, const NeighbourSample& sample,
                                    const domain::Ownership& owner, int rank_count,
                                    std::span<const int> node) {
  if (rank_count > counted_ranks) {
    throw std::invalid_argument("counts of " + std::to_string(rank_count) + " ranks (at most " +
                                std::to_string(counted_ranks) + " are counted)");
  }
  return Counter(system, owner, rank_count, node).run(sample);
}

std::vector<RankCounts> count_ranks(const CompleteSystem& system, const domain::Ownership& owner,
                                    int rank_count) {
  return count_ranks(system, sample_neighbours(system), owner, rank_count);
}

}  // namespace nfold::engine
