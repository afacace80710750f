// Counts of terms, ghosts and neighbours of each rank, and their extrapolation.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/rank_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
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
constexpr double longest_bond_nm = 0.4;

std::size_t at(int id) { return static_cast<std::size_t>(id); }

/// Calls visit(rank) for each rank of a bit mask.
template <class Visit>
void for_each_rank(std::uint64_t mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
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

class Counter {
 public:
  Counter(const CompleteSystem& system, const domain::Ownership& owner, int rank_count)
      : topology_(system.topology),
        settings_(system.settings),
        owner_(owner),
        ranks_(static_cast<std::size_t>(rank_count)) {
    const auto& box = topology_.box;
    x_nm_.reserve(system.state.position.size());
    for (const auto& x : system.state.position) x_nm_.push_back(system::position_nm(box, x));
  }

  std::vector<RankCounts> run() {
    count_common();
    count_exclusions();
    measure_extents();
    count_candidates();
    const auto reach = first_reach(topology_, settings_);
    sample_neighbours(reach.short_range_nm + reach.skin_nm, false, &RankCounts::pairs);
    if (reach.charge_nm > 0) {
      sample_neighbours(reach.charge_nm + reach.skin_nm, true, &RankCounts::charges);
    }
    return std::move(ranks_);
  }
  std::vector<RankCounts> run_borders(std::span<const int> node) {
    count_common();
    if (!node.empty() && ranks_.size() > 1) count_far(node);
    return std::move(ranks_);
  }

 private:
  void count_common() {
    begin();
    count_terms();
    if (ranks_.size() > 1) count_ghosts();
  }

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
      domain::for_each_term(topology_, kind, [&](int, const auto& ids) {
        for (const int id : ids) ++ends_of_residue[at(id)];
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
    excluded_first_.assign(topology_.residues.size() + 1, 0);
    for (const auto& [i, j] : topology_.exclusions) {
      ++excluded_first_[at(i) + 1];
      ++excluded_first_[at(j) + 1];
    }
    for (std::size_t id = 0; id < topology_.residues.size(); ++id) {
      ranks_[at(owner_[id])].exclusions += excluded_first_[id + 1];
      excluded_first_[id + 1] += excluded_first_[id];
    }
    excluded_.resize(static_cast<std::size_t>(excluded_first_.back()));
    auto next = excluded_first_;
    for (const auto& [i, j] : topology_.exclusions) {
      excluded_[static_cast<std::size_t>(next[at(i)]++)] = j;
      excluded_[static_cast<std::size_t>(next[at(j)]++)] = i;
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
    std::vector<std::uint64_t> peers(ranks_.size(), 0);
    for (std::size_t i = 0; i < near_.size(); ++i) {
      near_[i] &= ~(std::uint64_t{1} << at(owner_[i]));
      ranks_[at(owner_[i])].halo.sent += std::popcount(near_[i]);
      peers[at(owner_[i])] |= near_[i];
      for_each_rank(near_[i], [&](std::size_t rank) { ++ranks_[rank].other_ghosts; });
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      auto& counts = ranks_[r];
      counts.other_ghosts -= counts.partners;
      counts.halo.peers = std::popcount(peers[r]);
      counts.halo.near_share = static_cast<double>(counts.halo.sent) /
                               static_cast<double>(std::max<std::int64_t>(1, counts.residues));
    }
  }

  /// Counts what is sent to other nodes.
  void count_far(std::span<const int> node) {
    std::vector<std::uint64_t> far(ranks_.size(), 0), peers(ranks_.size(), 0);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t other = 0; other < ranks_.size(); ++other) {
        if (node[other] != node[r]) far[r] |= std::uint64_t{1} << other;
      }
    }
    for (std::size_t i = 0; i < near_.size(); ++i) {
      const auto rank = at(owner_[i]);
      ranks_[rank].halo.sent_far += std::popcount(near_[i] & far[rank]);
      peers[rank] |= near_[i] & far[rank];
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].halo.far_peers = std::popcount(peers[r]);
    }
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

  /// Samples neighbour counts of all residues, or of charged residues among each other.
  void sample_neighbours(double range_nm, bool of_charged,
                         domain::NeighbourCounts RankCounts::*list) {
    std::vector<int> ids;
    std::vector<std::array<double, 3>> x_nm;
    for (int id = 0; id < topology_.residue_count(); ++id) {
      if (of_charged && !is_charged(id)) continue;
      ids.push_back(id);
      x_nm.push_back(x_nm_[at(id)]);
    }
    for (auto& counts : ranks_) (counts.*list).range_nm = range_nm;
    if (ids.empty()) return;
    const system::CellList cells(topology_.box, x_nm, range_nm);
    const std::size_t stride = (ids.size() + sampled_rows - 1) / sampled_rows;
    for (std::size_t k = 0; k < ids.size(); k += stride) {
      int count = -1;  // excludes the residue itself
      cells.for_each_near(x_nm[k], [&](int other) {
        count += is_within(x_nm[k], x_nm[at(other)], range_nm) ? 1 : 0;
      });
      const auto id = at(ids[k]);
      for (auto e = excluded_first_[id]; e < excluded_first_[id + 1]; ++e) {
        const int other = excluded_[static_cast<std::size_t>(e)];
        if (of_charged && !is_charged(other)) continue;
        count -= is_within(x_nm[k], x_nm_[at(other)], range_nm) ? 1 : 0;
      }
      (of_owner(ids[k]).*list).sample.push_back(std::max(0, count));
    }
  }
  [[nodiscard]] bool is_within(const std::array<double, 3>& a, const std::array<double, 3>& b,
                               double range_nm) const {
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = topology_.box.nearest_nm(k, a[k] - b[k]);
      squared += d * d;
    }
    return squared < range_nm * range_nm;
  }

  const topology::Topology& topology_;
  const EngineSettings& settings_;
  const domain::Ownership& owner_;
  std::vector<RankCounts> ranks_;
  std::vector<std::array<double, 3>> x_nm_;    // (residues)
  std::vector<std::pair<int, int>> partners_;  // rank that needs a residue for a term; residue id
  std::vector<std::int64_t> excluded_first_;   // (residues + 1)
  std::vector<int> excluded_;
  std::vector<std::uint64_t>
      near_;  // (residues) bit mask of the ranks that have the residue as a ghost
};

std::int64_t scale_count(std::int64_t count, double factor) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * factor));
}

/// Block of a region, with the number of sides that border on other blocks.
struct Block {
  std::array<double, 3> size_nm{};
  std::array<int, 3> sides{};  // 0 to 2 along each axis
  [[nodiscard]] double volume() const {
    return std::max(size_nm[0] * size_nm[1] * size_nm[2], 1e-9);
  }
  /// Volume within h of the block beyond those sides.
  [[nodiscard]] double shell(double h) const {
    const auto& [a, b, c] = size_nm;
    const double x = sides[0], y = sides[1], z = sides[2];
    return h * (x * b * c + y * a * c + z * a * b) +
           std::numbers::pi / 4 * h * h * (x * y * c + y * z * a + x * z * b) +
           std::numbers::pi / 6 * h * h * h * x * y * z;
  }
  [[nodiscard]] double surface() const { return shell(1e-6) * 1e6; }
  /// Fraction of bonds along a chain that are cut by a side: bonds have random directions.
  [[nodiscard]] double cut_share() const {
    return std::min(1.0, 0.5 * surface() * longest_bond_nm / volume());
  }
};

/// The longest list of a small sample deviates by up to one standard deviation from the expectation
/// for that many rows, and scaling to the whole would keep this error: replaces it by the
/// expectation. The excess above one deviation is kept; it stands for crowded places that coils do
/// not have.
void make_longest_typical(domain::NeighbourCounts& list) {
  if (list.sample.size() < 2) return;
  const auto spread = list.spread();
  auto& longest = *std::ranges::max_element(list.sample);
  longest = static_cast<int>(
      std::lround(std::max(spread.expected_longest(static_cast<std::int64_t>(list.sample.size())),
                           longest - spread.deviation)));
}

Block find_block(const FilledRegion& region, int rank_count) {
  std::array<int, 3> cuts{1, 1, 1};
  Block block{region.size_nm, {}};
  for (int left = rank_count; left > 1;) {
    int factor = 2;
    while (left % factor != 0) ++factor;
    const auto k = static_cast<std::size_t>(
        std::max_element(block.size_nm.begin(), block.size_nm.end()) - block.size_nm.begin());
    cuts[k] *= factor;
    block.size_nm[k] /= factor;
    left /= factor;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const bool wraps = region.box.is_periodic(k) && region.size_nm[k] >= region.box.length_nm[k];
    block.sides[k] = cuts[k] == 1 ? 0 : wraps ? 2 : std::min(2, cuts[k] - 1);
  }
  return block;
}

/// Divides the terms of the rank into inner and border ones.
void split_terms(const RankCounts& one, double factor, const Block& block, RankCounts& counts) {
  const double cut = block.cut_share();
  for (std::size_t kind = 0; kind < domain::term_kinds; ++kind) {
    const auto all = scale_count(one.inner_terms[kind], factor);
    topology::BondedKinds::at(kind, [&](auto k) {
      constexpr auto ends = topology::residues_per_term<typename decltype(k)::Term>;
      counts.border_terms[kind] =
          scale_count(all, std::min(1.0, cut * static_cast<double>(ends - 1)));
    });
    counts.inner_terms[kind] = all - counts.border_terms[kind] / 2;
  }
}

/// Sets the ghosts of the rank and its halo. Returns the number of charged ghosts.
std::int64_t count_ghosts(const Block& block, const GhostRanges& ranges, RankCounts& counts) {
  const auto in_shell = [&](std::int64_t owned, double range_nm) {
    const double wider_nm = range_nm * 7 / 6;  // half a cell of the halo's grid
    return scale_count(owned, block.shell(wider_nm) / block.volume());
  };
  const std::int64_t most = counts.residues - counts.owned;
  auto ghosts = in_shell(counts.owned, ranges.all_nm);
  auto charged_ghosts = in_shell(counts.charged, std::max(ranges.all_nm, ranges.charged_nm));
  ghosts += charged_ghosts - in_shell(counts.charged, ranges.all_nm);
  ghosts = std::min(ghosts, most);
  charged_ghosts = std::min(charged_ghosts, ghosts);
  counts.partners = std::min(ghosts, scale_count(counts.owned, block.cut_share()));
  counts.other_ghosts = ghosts - counts.partners;
  counts.halo.sent = ghosts;
  counts.halo.sent_partners = counts.partners;
  std::int64_t around = 1;
  for (const int sides : block.sides) around *= 1 + sides;
  counts.halo.peers = std::min<std::int64_t>(around, counts.ranks) - 1;
  counts.halo.near_share =
      static_cast<double>(ghosts) / static_cast<double>(std::max<std::int64_t>(1, counts.residues));
  return charged_ghosts;
}

}  // namespace

std::vector<RankCounts> count_ranks(const CompleteSystem& system, const domain::Ownership& owner,
                                    int rank_count) {
  if (rank_count <= counted_ranks) return Counter(system, owner, rank_count).run();
  const domain::Ownership alone(owner.size(), 0);
  const auto one = Counter(system, alone, 1).run().front();
  return {extrapolate_rank_counts(one, 1, {one.box, one.spread_nm},
                                  ghost_ranges(system.topology, system.settings), rank_count)};
}

std::vector<RankCounts> count_borders(const CompleteSystem& system, const domain::Ownership& owner,
                                      int rank_count, std::span<const int> node) {
  if (rank_count > counted_ranks) {
    throw std::invalid_argument("borders of " + std::to_string(rank_count) + " ranks (at most " +
                                std::to_string(counted_ranks) + " are counted)");
  }
  return Counter(system, owner, rank_count).run_borders(node);
}

RankCounts extrapolate_rank_counts(const RankCounts& one, double times, const FilledRegion& region,
                                   const GhostRanges& ranges, int rank_count) {
  RankCounts counts = one;
  counts.residues = std::llround(static_cast<double>(one.owned) * times);
  counts.ranks = rank_count;
  counts.box = region.box;
  const double factor = times / rank_count;
  counts.owned = scale_count(one.owned, factor);
  counts.charged = scale_count(one.charged, factor);
  counts.longest_end_lists = scale_count(one.longest_end_lists, factor);
  counts.exclusions = scale_count(one.exclusions, factor);
  for (auto& members : counts.in_biases) members = scale_count(members, factor);
  const Block block = find_block(region, rank_count);
  for (std::size_t k = 0; k < 3; ++k) {
    counts.spread_nm[k] = region.box.is_periodic(k) ? region.box.length_nm[k] : region.size_nm[k];
    counts.extent_nm[k] = region.box.is_periodic(k)
                              ? region.box.length_nm[k]
                              : std::min(region.size_nm[k], block.size_nm[k] + 2 * ranges.all_nm);
  }
  split_terms(one, factor, block, counts);
  const auto charged_ghosts = count_ghosts(block, ranges, counts);
  counts.pairs.rows = counts.owned;
  counts.pairs.candidates = counts.rows();
  if (!one.charges.sample.empty()) {
    counts.charges.rows = counts.charged;
    counts.charges.candidates = counts.charged + charged_ghosts;
  }
  if (times > 1) {
    make_longest_typical(counts.pairs);
    make_longest_typical(counts.charges);
  }
  return counts;
}

}  // namespace nfold::engine
