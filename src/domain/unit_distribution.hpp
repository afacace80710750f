// Distribution of indivisible units of work over groups.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace nfold::domain {

struct TiedUnit {
  double work = 0;
  std::vector<std::pair<int, double>> ties;  ///< another unit, and the cost of separating them
};

/// (units) The group of each. Group g should get part[g] of the work. Places the largest unit
/// first, in the group with capacity and the strongest edges to it, else in the least loaded group.
/// Then makes single moves and exchanges as long as they reduce the load of the most loaded group
/// or, once that is at most 3 % over its part, the cut weight. If `start` (units) is given, also
/// searches from it and returns the better result.
[[nodiscard]] std::vector<std::size_t> distribute_units(std::span<const TiedUnit> units,
                                                        std::span<const double> part,
                                                        std::span<const std::size_t> start = {});

}  // namespace nfold::domain
