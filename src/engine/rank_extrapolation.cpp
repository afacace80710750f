// Counts of ranks from the blocks of space that they own, without residues.
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <vector>

#include "domain/rank_blocks.hpp"
#include "engine/rank_counts.hpp"

namespace nfold::engine {
namespace {

using domain::RankCounts;

std::int64_t scale_count(std::int64_t count, double factor) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * factor));
}

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

/// Returns what all ranks have alike: everything but borders.
RankCounts equal_parts(const RankCounts& one, double times, const domain::DensityGrid& density,
                       int rank_count) {
  RankCounts counts = one;
  const double factor = times / rank_count;
  counts.residues = std::llround(static_cast<double>(one.owned) * times);
  counts.ranks = rank_count;
  counts.box = density.box();
  counts.owned = scale_count(one.owned, factor);
  counts.charged = scale_count(one.charged, factor);
  counts.longest_end_lists = scale_count(one.longest_end_lists, factor);
  counts.exclusions = scale_count(one.exclusions, factor);
  for (auto& members : counts.in_biases) members = scale_count(members, factor);
  for (auto& terms : counts.inner_terms) terms = scale_count(terms, factor);
  for (std::size_t k = 0; k < 3; ++k) {
    counts.spread_nm[k] =
        counts.box.is_periodic(k) ? counts.box.length_nm[k] : density.extent().length_nm(k);
  }
  counts.pairs.rows = counts.owned;
  if (!one.charges.sample.empty()) counts.charges.rows = counts.charged;
  if (times > 1) {
    make_longest_typical(counts.pairs);
    make_longest_typical(counts.charges);
  }
  return counts;
}

/// Divides the terms of the rank into inner and border ones. Returns the largest number of border
/// terms per term of one kind.
double split_terms(const domain::RankBlocks& blocks, const domain::Cuboid& block,
                   RankCounts& counts) {
  double most = 0;
  for (std::size_t kind = 0; kind < domain::term_kinds; ++kind) {
    auto &inner = counts.inner_terms[kind], &border = counts.border_terms[kind];
    if (inner == 0) continue;
    // Terms have random directions: half of those at the border reach across. Two ranks compute a
    // term that is cut.
    const double cut =
        std::min(2.0, 0.5 * counts.ranks * blocks.share_around(block, counts.term_extent_nm[kind]));
    border = scale_count(inner, cut);
    inner -= border / 2;
    most = std::max(most, cut);
  }
  return most;
}

/// Border of a rank: ghosts as parts of all residues, 0 to 1.
struct Border {
  int rank = 0;
  domain::BlockPeers peers;
  double ghosts = 0, charged_ghosts = 0;
  [[nodiscard]] double far_ghosts() const { return ghosts * peers.far_share; }
};

Border border_of(const domain::RankBlocks& blocks, int rank, const GhostRanges& ranges,
                 double charged_part) {
  constexpr double wider = 7.0 / 6;  // half a cell of the halo's grid
  const auto block = blocks.block(rank);
  const double charged_nm = charged_part > 0 ? std::max(ranges.all_nm, ranges.charged_nm) : 0;
  Border border{rank, blocks.peers(rank, wider * std::max(ranges.all_nm, charged_nm))};
  border.ghosts = blocks.share_around(block, wider * ranges.all_nm);
  if (charged_nm > 0) {
    const double within = blocks.share_around(block, wider * charged_nm);
    border.charged_ghosts = charged_part * within;
    border.ghosts += charged_part * (within - border.ghosts);
  }
  return border;
}

/// Returns the borders with most ghosts and most peers, one of which a step waits for.
std::vector<Border> largest_borders(const std::vector<Border>& borders) {
  const auto most = [&](const auto& amount) {
    return *std::ranges::max_element(borders, {}, amount);
  };
  std::vector<Border> largest{most(&Border::ghosts)};
  const auto add = [&](const Border& border) {
    const auto same = [&](const Border& one) { return one.rank == border.rank; };
    if (std::ranges::none_of(largest, same)) largest.push_back(border);
  };
  add(most([](const Border& border) { return border.peers.all; }));
  add(most(&Border::far_ghosts));
  add(most([](const Border& border) { return border.peers.far; }));
  return largest;
}

/// Sets the ghosts of the rank and its halo. partners: ghosts in terms, per owned residue.
void add_ghosts(const Border& border, double partners, RankCounts& counts) {
  const auto all = static_cast<double>(counts.residues);
  const auto ghosts =
      std::min<std::int64_t>(std::llround(all * border.ghosts), counts.residues - counts.owned);
  counts.partners = std::min(ghosts, scale_count(counts.owned, partners));
  counts.other_ghosts = ghosts - counts.partners;
  auto& halo = counts.halo;
  halo.sent = ghosts;
  halo.sent_partners = counts.partners;
  halo.sent_far = std::min<std::int64_t>(std::llround(all * border.far_ghosts()), ghosts);
  halo.peers = border.peers.all;
  halo.far_peers = border.peers.far;
  halo.near_share = static_cast<double>(ghosts) / std::max(1.0, all);
  counts.pairs.candidates = counts.rows();
  if (counts.charges.rows > 0) {
    counts.charges.candidates =
        counts.charged + std::min<std::int64_t>(ghosts, std::llround(all * border.charged_ghosts));
  }
}

}  // namespace

std::vector<RankCounts> extrapolate_rank_counts(const RankCounts& one, double times,
                                                const domain::DensityGrid& density,
                                                const GhostRanges& ranges, int rank_count,
                                                int ranks_per_node) {
  constexpr int most = 64, few = 8;
  const auto equal = equal_parts(one, times, density, rank_count);
  const domain::RankBlocks blocks(density, rank_count, ranks_per_node);
  const double charged_part =
      static_cast<double>(one.charged) / static_cast<double>(std::max<std::int64_t>(1, one.owned));
  const int looked_at = rank_count <= most ? rank_count : few;
  std::vector<Border> borders;
  for (int k = 0; k < looked_at; ++k) {
    const auto rank = static_cast<int>(std::int64_t{rank_count} * k / looked_at);
    borders.push_back(border_of(blocks, rank, ranges, charged_part));
  }
  std::vector<RankCounts> ranks;
  for (const auto& border : largest_borders(borders)) {
    auto& counts = ranks.emplace_back(equal);
    const auto block = blocks.block(border.rank);
    for (std::size_t k = 0; k < 3; ++k) {
      const double wider_nm = block.length_nm(k) + 2 * ranges.all_nm;
      counts.extent_nm[k] =
          counts.box.is_periodic(k) ? counts.spread_nm[k] : std::min(counts.spread_nm[k], wider_nm);
    }
    add_ghosts(border, split_terms(blocks, block, counts), counts);
  }
  return ranks;
}

}  // namespace nfold::engine
