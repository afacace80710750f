// Recursive bisection by weighted selection, and Hilbert ranges by sorting; sums of integers.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/space_partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "domain/hilbert.hpp"
#include "domain/space_layout.hpp"

namespace nfold::domain {
namespace {

void require_as_many(std::size_t positions, std::size_t work) {
  if (positions != work) {
    throw std::invalid_argument("a partition of " + std::to_string(positions) +
                                " positions with the work of " + std::to_string(work) +
                                " residues");
  }
}

struct Bounds {
  std::array<double, 3> low{}, high{};
};

template <class Items, class PlaceOf>
Bounds bounds_of(const Items& items, PlaceOf&& place_of) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Bounds bounds;
  bounds.low.fill(infinite);
  bounds.high.fill(-infinite);
  for (const auto& item : items) {
    const auto& x = place_of(item);
    for (std::size_t k = 0; k < 3; ++k) {
      bounds.low[k] = std::min(bounds.low[k], x[k]);
      bounds.high[k] = std::max(bounds.high[k], x[k]);
    }
  }
  return bounds;
}

using Row = std::uint32_t;  // index among this rank's residues

/// Maps a double to an integer of the same order.
std::int64_t ordered(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}
double from_ordered(std::int64_t x) {
  return std::bit_cast<double>(x >= 0 ? x : x ^ std::numeric_limits<std::int64_t>::max());
}

/// Cuts sets of residues that are distributed over the ranks. All members are collective, and their
/// results are the same on all ranks and for any number of ranks. Residues are known by their rows
/// alone, since there may be many.
class Bisection {
 public:
  /// first_id: id of the first row; ids are consecutive. owner: by row.
  Bisection(const comm::Communicator& communicator, const SpaceLayout& layout,
            const WorkShares& shares, int first_id, Ownership& owner)
      : communicator_(communicator),
        layout_(layout),
        shares_(shares),
        first_id_(first_id),
        owner_(owner) {}

  /// Divides rows over `count` ranks of the shares' levels, from index `first`.
  void run(std::span<Row> rows, int first, int count) {
    const auto& levels = shares_.levels;
    if (count == 1) {
      for (const auto row : rows) owner_[row] = levels.ranks[static_cast<std::size_t>(first)];
      return;
    }
    const Set set = set_of(rows);
    if (set.count == 0) return;
    const int left_ranks = levels.lower_half(first, count);
    const auto at = [&](int index) { return levels.part_before[static_cast<std::size_t>(index)]; };
    const double left_part = (at(first + left_ranks) - at(first)) / (at(first + count) - at(first));
    const auto target = static_cast<std::int64_t>(static_cast<double>(set.work) * left_part);
    const std::size_t left = split(rows, set, widest_axis(rows, set), target);
    run(rows.first(left), first, left_ranks);
    run(rows.subspan(left), first + left_ranks, count - left_ranks);
  }

 private:
  /// Global sums and bounds of a set of residues.
  struct Set {
    std::int64_t count = 0, work = 0;
    Bounds bounds;
  };
  [[nodiscard]] std::int64_t share_of(Row row) const {
    return static_cast<std::int64_t>(shares_.of[row]);
  }
  [[nodiscard]] Set set_of(std::span<const Row> rows) const {
    Set set;
    std::array<std::int64_t, 2> sums{static_cast<std::int64_t>(rows.size()), 0};
    for (const auto row : rows) sums[1] += share_of(row);
    communicator_.sum(sums);
    set.count = sums[0];
    set.work = sums[1];
    set.bounds = bounds_of(rows, [this](Row row) { return layout_.place_nm(row); });
    for (std::size_t k = 0; k < 3; ++k) {
      set.bounds.low[k] = from_ordered(communicator_.min(ordered(set.bounds.low[k])));
      set.bounds.high[k] = from_ordered(communicator_.max(ordered(set.bounds.high[k])));
    }
    return set;
  }

  /// Returns the axis along which the work between its tenth and ninetieth percentile is spread
  /// furthest.
  [[nodiscard]] std::size_t widest_axis(std::span<const Row> rows, const Set& set) const {
    constexpr std::size_t bins = 256;
    std::array<std::int64_t, 3 * bins> histogram{};
    std::array<double, 3> bin_nm{};
    for (std::size_t k = 0; k < 3; ++k) {
      bin_nm[k] = std::max((set.bounds.high[k] - set.bounds.low[k]) / bins, 1e-9);
      for (const auto row : rows) {
        const auto bin =
            static_cast<std::size_t>((layout_.along(k, row) - set.bounds.low[k]) / bin_nm[k]);
        histogram[k * bins + std::min(bin, bins - 1)] += share_of(row);
      }
    }
    communicator_.sum(histogram);
    std::size_t widest = 0;
    double widest_nm = -1;
    for (std::size_t k = 0; k < 3; ++k) {
      std::int64_t before = 0;
      int spread = 0;
      for (std::size_t bin = 0; bin < bins; ++bin) {
        before += histogram[k * bins + bin];
        spread += before >= set.work / 10 && before <= set.work - set.work / 10 ? 1 : 0;
      }
      const double spread_nm = (spread + 1) * bin_nm[k];
      if (spread_nm > widest_nm) {
        widest = k;
        widest_nm = spread_nm;
      }
    }
    return widest;
  }

  /// Residues in order along the axis, one of which brings the cumulative work past a target.
  struct Candidates {
    std::vector<Row> rows;    // this rank's
    std::int64_t before = 0;  // work of all residues before them
    std::int64_t count = 0;   // on all ranks
  };
  [[nodiscard]] Candidates narrowed(std::span<const Row> rows, const Set& set, std::size_t axis,
                                    std::int64_t before, std::int64_t target) const {
    constexpr std::size_t bins = 4096;
    const double low = set.bounds.low[axis], extent = set.bounds.high[axis] - low;
    const double per_nm = extent > 0 ? bins / extent : 0;
    const auto bin_of = [&](Row row) {
      return std::min(static_cast<std::size_t>((layout_.along(axis, row) - low) * per_nm),
                      bins - 1);
    };
    std::vector<std::int64_t> sums(2 * bins, 0);  // work, then residues
    for (const auto row : rows) {
      const std::size_t bin = bin_of(row);
      sums[bin] += share_of(row);
      ++sums[bins + bin];
    }
    communicator_.sum(sums);
    Candidates found;
    std::size_t taken = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (sums[bins + bin] == 0) continue;
      taken = bin;
      found.before = before;
      found.count = sums[bins + bin];
      before += sums[bin];
      if (before > target) break;
    }
    for (const auto row : rows) {
      if (bin_of(row) == taken) found.rows.push_back(row);
    }
    return found;
  }

  /// Key of a residue along one axis, the same on all ranks.
  struct Place {
    double nm;
    std::int64_t share;
    int id;
    [[nodiscard]] bool is_before(const Place& other) const {
      return std::tie(nm, id) < std::tie(other.nm, other.id);
    }
  };
  [[nodiscard]] Place place_of(Row row, std::size_t axis) const {
    return {layout_.along(axis, row), share_of(row), first_id_ + static_cast<int>(row)};
  }

  /// Reorders rows so that the ones among the first of all ranks' residues along the axis, which
  /// hold about `target` of the work, come first. Returns their number.
  [[nodiscard]] std::size_t split(std::span<Row> rows, const Set& set, std::size_t axis,
                                  std::int64_t target) const {
    constexpr std::int64_t few = 1 << 17;
    auto candidates = narrowed(rows, set, axis, 0, target);
    while (candidates.count > few) {
      const Set of_them = set_of(candidates.rows);
      if (!(of_them.bounds.high[axis] > of_them.bounds.low[axis])) break;
      candidates = narrowed(candidates.rows, of_them, axis, candidates.before, target);
    }
    std::vector<Place> mine;
    mine.reserve(candidates.rows.size());
    for (const auto row : candidates.rows) mine.push_back(place_of(row, axis));
    auto all = communicator_.all_gather(std::span<const Place>(mine));
    std::sort(all.begin(), all.end(),
              [](const Place& a, const Place& b) { return a.is_before(b); });
    std::int64_t before = candidates.before;
    std::size_t at = 0;
    while (at + 1 < all.size() && before + all[at].share <= target) before += all[at++].share;
    const Place& border = all[at];
    const bool takes_border = 2 * before + border.share <= 2 * target;
    const auto middle = std::partition(rows.begin(), rows.end(), [&](Row row) {
      const Place place = place_of(row, axis);
      return place.is_before(border) || (takes_border && place.id == border.id);
    });
    return static_cast<std::size_t>(middle - rows.begin());
  }

  const comm::Communicator& communicator_;
  const SpaceLayout& layout_;
  const WorkShares& shares_;
  int first_id_;
  Ownership& owner_;
};

}  // namespace

Ownership recursive_bisection(const system::Box& box,
                              std::span<const system::FixedPosition> positions,
                              std::span<const double> work, int rank_count,
                              std::span<const double> speed, std::span<const int> node) {
  return distributed_bisection(comm::Communicator(), box, {0, positions, work}, rank_count, speed,
                               node);
}

Ownership distributed_bisection(const comm::Communicator& communicator, const system::Box& box,
                                const KnownResidues& known, int rank_count,
                                std::span<const double> speed, std::span<const int> node) {
  require_as_many(known.positions.size(), known.work.size());
  Ownership owner(known.positions.size(), 0);
  {
    const WorkShares shares(communicator, known.work, {rank_count, speed, node});
    const SpaceLayout layout(communicator, box, known.positions);
    std::vector<Row> rows(known.positions.size());
    std::iota(rows.begin(), rows.end(), Row{0});
    Bisection(communicator, layout, shares, known.first_id, owner).run(rows, 0, rank_count);
  }
  return communicator.size() > 1 ? communicator.all_gather(std::span<const int>(owner)) : owner;
}

Ownership hilbert_curve(const system::Box& box, std::span<const system::FixedPosition> positions,
                        std::span<const double> work, int rank_count, std::span<const double> speed,
                        std::span<const int> node) {
  require_as_many(positions.size(), work.size());
  const WorkShares shares(work, {rank_count, speed, node});
  Ownership owner(positions.size(), 0);
  if (owner.empty()) return owner;
  constexpr int bits = 16;
  constexpr double most = 0xffff;
  const SpaceLayout layout(comm::Communicator(), box, positions);
  std::vector<std::array<double, 3>> place;
  place.reserve(positions.size());
  for (std::size_t id = 0; id < positions.size(); ++id) place.push_back(layout.place_nm(id));
  const auto bounds = bounds_of(place, [](const auto& x) { return x; });
  double longest_nm = 1e-9;
  for (std::size_t k = 0; k < 3; ++k) {
    longest_nm = std::max(longest_nm, bounds.high[k] - bounds.low[k]);
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(place.size());
  for (const auto& x : place) {
    std::array<std::uint32_t, 3> cell{};
    for (std::size_t k = 0; k < 3; ++k) {
      cell[k] = static_cast<std::uint32_t>((x[k] - bounds.low[k]) / longest_nm * most);
    }
    order.emplace_back(hilbert_index(cell, bits), order.size());
  }
  std::sort(order.begin(), order.end());
  std::uint64_t before = 0;
  for (const auto& [index, id] : order) {
    owner[id] = shares.rank_at(before, id);
    before += shares.of[id];
  }
  return owner;
}

}  // namespace nfold::domain
