// Counts of ranks from the blocks of space that they own, without residues.
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>

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

/// Sets the ghosts of the rank and its halo. partners: ghosts in terms, per owned residue.
void add_ghosts(const domain::RankBlocks& blocks, int rank, const GhostRanges& ranges,
                double partners, RankCounts& counts) {
  constexpr double wider = 7.0 / 6;  // half a cell of the halo's grid
  const double charged_nm = std::max(ranges.all_nm, ranges.charged_nm);
  const auto near = blocks.border(rank, wider * ranges.all_nm);
  const auto far = charged_nm > ranges.all_nm ? blocks.border(rank, wider * charged_nm) : near;
  const auto all = static_cast<double>(counts.residues);
  const double charged = static_cast<double>(counts.charged) /
                         static_cast<double>(std::max<std::int64_t>(1, counts.owned));
  const auto residues = [&](double domain::BlockBorder::*share) {
    return std::llround(all * (near.*share + charged * (far.*share - near.*share)));
  };
  const std::int64_t most = counts.residues - counts.owned;
  const auto ghosts = std::min<std::int64_t>(residues(&domain::BlockBorder::ghosts), most);
  counts.partners = std::min(ghosts, scale_count(counts.owned, partners));
  counts.other_ghosts = ghosts - counts.partners;
  counts.halo.sent = ghosts;
  counts.halo.sent_partners = counts.partners;
  counts.halo.sent_far = std::min<std::int64_t>(residues(&domain::BlockBorder::far_ghosts), ghosts);
  counts.halo.peers = charged > 0 ? far.peers : near.peers;
  counts.halo.far_peers = charged > 0 ? far.far_peers : near.far_peers;
  counts.halo.near_share = static_cast<double>(ghosts) / std::max(1.0, all);
  counts.pairs.candidates = counts.rows();
  if (counts.charges.rows > 0) {
    counts.charges.candidates =
        counts.charged + std::min<std::int64_t>(ghosts, std::llround(all * charged * far.ghosts));
  }
}

}  // namespace

std::vector<RankCounts> extrapolate_rank_counts(const RankCounts& one, double times,
                                                const domain::DensityGrid& density,
                                                const GhostRanges& ranges, int rank_count,
                                                int ranks_per_node) {
  constexpr int few = 8;
  const auto equal = equal_parts(one, times, density, rank_count);
  const domain::RankBlocks blocks(density, static_cast<double>(equal.residues), rank_count,
                                  ranks_per_node);
  const int counted = rank_count <= counted_ranks ? rank_count : few;
  std::vector<RankCounts> ranks(static_cast<std::size_t>(counted), equal);
  for (int k = 0; k < counted; ++k) {
    auto& counts = ranks[static_cast<std::size_t>(k)];
    const auto rank = static_cast<int>(std::int64_t{rank_count} * k / counted);
    const auto block = blocks.block(rank);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double wider_nm = block.length_nm(axis) + 2 * ranges.all_nm;
      counts.extent_nm[axis] = counts.box.is_periodic(axis)
                                   ? counts.spread_nm[axis]
                                   : std::min(counts.spread_nm[axis], wider_nm);
    }
    const double partners = split_terms(blocks, block, counts);
    add_ghosts(blocks, rank, ranges, partners, counts);
  }
  return ranks;
}

}  // namespace nfold::engine
