// Recursive bisection by weighted selection, Hilbert pieces by sorting; sums of whole numbers.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/space_partition.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "domain/hilbert.hpp"

namespace nfold::domain {
namespace {

void require_as_many(std::size_t positions, std::size_t work) {
  if (positions != work) {
    throw std::invalid_argument("a partition of " + std::to_string(positions) +
                                " positions with the work of " + std::to_string(work) +
                                " residues");
  }
}

constexpr std::int64_t turn = std::int64_t{1} << system::Box::turn_bits;

/// Counts where a periodic axis is opened: in the middle of the emptiest eighth, if it is less than
/// an eighth as full as the mean; else at 0, so that small moves of the residues do not move all
/// cuts.
std::int64_t opening(std::span<const system::FixedPosition> positions, std::size_t axis) {
  constexpr int bin_bits = 10, bins = 1 << bin_bits, window = bins / 8;
  constexpr int shift = system::Box::turn_bits - bin_bits;
  std::array<std::int64_t, bins> count{};
  for (const auto& x : positions) {
    ++count[static_cast<std::size_t>((x[axis] & (turn - 1)) >> shift)];
  }
  std::int64_t inside = std::accumulate(count.begin(), count.begin() + window, std::int64_t{0});
  std::int64_t fewest = inside;
  std::size_t emptiest = 0;
  for (std::size_t first = 1; first < bins; ++first) {
    inside += count[(first - 1 + window) % bins] - count[first - 1];
    if (inside >= fewest) continue;
    fewest = inside;
    emptiest = first;
  }
  if (fewest * 64 > static_cast<std::int64_t>(positions.size())) return 0;
  return static_cast<std::int64_t>((emptiest + window / 2) % bins) << shift;
}

/// Coordinates [nm] as they are along open axes, in one turn along periodic ones.
class Layout {
 public:
  Layout(const system::Box& box, std::span<const system::FixedPosition> positions)
      : box_(box), positions_(positions) {
    for (std::size_t k = 0; k < 3; ++k) origin_[k] = box.is_periodic(k) ? opening(positions, k) : 0;
  }
  [[nodiscard]] std::array<double, 3> place_nm(std::size_t id) const {
    std::array<double, 3> place{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t x = positions_[id][k];
      place[k] = box_.to_nm(k, box_.is_periodic(k) ? (x - origin_[k]) & (turn - 1) : x);
    }
    return place;
  }

 private:
  const system::Box& box_;
  std::span<const system::FixedPosition> positions_;
  std::array<std::int64_t, 3> origin_{};
};

struct Bounds {
  std::array<double, 3> low, high;
};

template <class Items, class PlaceOf>
Bounds bounds_of(const Items& items, PlaceOf&& place_of) {
  Bounds bounds{place_of(*items.begin()), place_of(*items.begin())};
  for (const auto& item : items) {
    const auto& x = place_of(item);
    for (std::size_t k = 0; k < 3; ++k) {
      bounds.low[k] = std::min(bounds.low[k], x[k]);
      bounds.high[k] = std::max(bounds.high[k], x[k]);
    }
  }
  return bounds;
}

/// A residue on its way to an owner.
struct Item {
  std::array<double, 3> place_nm;
  std::uint64_t share;
  int id;
};

std::vector<Item> items_of(const Layout& layout, const WorkShares& shares) {
  std::vector<Item> items;
  items.reserve(shares.of.size());
  for (std::size_t id = 0; id < shares.of.size(); ++id) {
    items.push_back({layout.place_nm(id), shares.of[id], static_cast<int>(id)});
  }
  return items;
}

std::uint64_t sum_of(std::span<const Item> items) {
  std::uint64_t sum = 0;
  for (const auto& item : items) sum += item.share;
  return sum;
}

/// The axis along which the work is spread furthest between a tenth and nine tenths of it.
std::size_t widest_axis(std::span<const Item> items, std::uint64_t total) {
  constexpr std::size_t bins = 256;
  const auto bounds = bounds_of(items, [](const Item& item) { return item.place_nm; });
  std::array<std::array<std::uint64_t, bins>, 3> histogram{};
  std::array<double, 3> bin_nm{};
  for (std::size_t k = 0; k < 3; ++k) {
    bin_nm[k] = std::max((bounds.high[k] - bounds.low[k]) / bins, 1e-9);
    for (const auto& item : items) {
      const auto bin = static_cast<std::size_t>((item.place_nm[k] - bounds.low[k]) / bin_nm[k]);
      histogram[k][std::min(bin, bins - 1)] += item.share;
    }
  }
  std::size_t widest = 0;
  double widest_nm = -1;
  for (std::size_t k = 0; k < 3; ++k) {
    std::uint64_t before = 0;
    int spread = 0;
    for (const auto share : histogram[k]) {
      before += share;
      spread += before >= total / 10 && before <= total - total / 10 ? 1 : 0;
    }
    const double spread_nm = (spread + 1) * bin_nm[k];
    if (spread_nm > widest_nm) {
      widest = k;
      widest_nm = spread_nm;
    }
  }
  return widest;
}

/// Reorders items so that the first ones, along the axis, hold about `target` of the work; how
/// many.
std::size_t split(std::span<Item> items, std::size_t axis, std::uint64_t target) {
  const auto is_before = [axis](const Item& a, const Item& b) {
    return std::tie(a.place_nm[axis], a.id) < std::tie(b.place_nm[axis], b.id);
  };
  std::size_t low = 0, high = items.size();
  std::uint64_t before = 0;
  const auto at = [&items](std::size_t k) {
    return items.begin() + static_cast<std::ptrdiff_t>(k);
  };
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    std::nth_element(at(low), at(middle), at(high), is_before);
    const auto sum = sum_of(items.subspan(low, middle - low));
    if (before + sum <= target) {
      before += sum;
      low = middle;
    } else {
      high = middle;
    }
  }
  return low + (2 * before + items[low].share <= 2 * target ? 1 : 0);
}

/// part_before: WorkShares::part_before.
void bisect(std::span<Item> items, int first_rank, int rank_count,
            std::span<const double> part_before, Ownership& owner) {
  if (items.empty()) return;
  if (rank_count == 1) {
    for (const auto& item : items) owner[static_cast<std::size_t>(item.id)] = first_rank;
    return;
  }
  const int left_ranks = rank_count / 2;
  const auto at = [&](int rank) { return part_before[static_cast<std::size_t>(rank)]; };
  const double left_part = (at(first_rank + left_ranks) - at(first_rank)) /
                           (at(first_rank + rank_count) - at(first_rank));
  const auto total = sum_of(items);
  const auto target = static_cast<std::uint64_t>(static_cast<double>(total) * left_part);
  const std::size_t left = split(items, widest_axis(items, total), target);
  bisect(items.first(left), first_rank, left_ranks, part_before, owner);
  bisect(items.subspan(left), first_rank + left_ranks, rank_count - left_ranks, part_before, owner);
}

}  // namespace

Ownership recursive_bisection(const system::Box& box,
                              std::span<const system::FixedPosition> positions,
                              std::span<const double> work, int rank_count,
                              std::span<const double> speed) {
  require_as_many(positions.size(), work.size());
  const WorkShares shares(work, rank_count, speed);
  auto items = items_of(Layout(box, positions), shares);
  Ownership owner(items.size(), 0);
  bisect(items, 0, rank_count, shares.part_before, owner);
  return owner;
}

Ownership hilbert_curve(const system::Box& box, std::span<const system::FixedPosition> positions,
                        std::span<const double> work, int rank_count,
                        std::span<const double> speed) {
  require_as_many(positions.size(), work.size());
  const WorkShares shares(work, rank_count, speed);
  Ownership owner(positions.size(), 0);
  if (owner.empty()) return owner;
  constexpr int bits = 16;
  constexpr double most = 0xffff;
  const Layout layout(box, positions);
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
