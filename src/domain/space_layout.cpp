// Search for the emptiest part of a periodic axis.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/space_layout.hpp"

#include <algorithm>
#include <numeric>

namespace nfold::domain {

std::int64_t SpaceLayout::opening(const comm::Communicator& communicator,
                                  std::span<const system::FixedPosition> positions,
                                  std::size_t axis) {
  constexpr int bin_bits = 10, bins = 1 << bin_bits, window = bins / 8;
  constexpr int shift = system::Box::turn_bits - bin_bits;
  std::array<std::int64_t, bins> count{};
  for (const auto& x : positions) {
    ++count[static_cast<std::size_t>((x[axis] & (turn - 1)) >> shift)];
  }
  communicator.sum(count);
  const std::int64_t all = std::accumulate(count.begin(), count.end(), std::int64_t{0});
  std::int64_t inside = std::accumulate(count.begin(), count.begin() + window, std::int64_t{0});
  std::int64_t fewest = inside;
  std::size_t emptiest = 0;
  for (std::size_t first = 1; first < bins; ++first) {
    inside += count[(first - 1 + window) % bins] - count[first - 1];
    if (inside >= fewest) continue;
    fewest = inside;
    emptiest = first;
  }
  if (fewest * 64 > all) return 0;
  return static_cast<std::int64_t>((emptiest + window / 2) % bins) << shift;
}

SpaceLayout::SpaceLayout(const comm::Communicator& communicator, const system::Box& box,
                         std::span<const system::FixedPosition> positions)
    : box_(box), positions_(positions) {
  for (std::size_t k = 0; k < 3; ++k) {
    origin_[k] = box.is_periodic(k) ? opening(communicator, positions, k) : 0;
  }
}

}  // namespace nfold::domain
