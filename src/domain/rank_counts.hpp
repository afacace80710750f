// Counts that determine the array sizes of a rank: residues, ghosts, terms and neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "domain/local_topology.hpp"
#include "system/box.hpp"

namespace nfold::domain {

/// Counts of the rows that one pair potential acts on.
struct NeighbourCounts {
  std::int64_t rows = 0;        ///< owned
  std::int64_t candidates = 0;  ///< owned and ghosts
  double range_nm = 0;          ///< cutoff and skin of the neighbour lists [nm]
  std::vector<int> sample;      ///< neighbours within it, of all owned rows or of a sample

  /// Returns the sum over all rows of room(neighbours), extrapolated from the sample.
  template <class Room>
  [[nodiscard]] std::int64_t sum_of(const Room& room) const {
    if (sample.empty()) return 0;
    double sum = 0;
    for (const int n : sample) sum += static_cast<double>(room(n));
    return std::llround(sum * static_cast<double>(rows) / static_cast<double>(sample.size()));
  }
  /// Returns the longest list of any row. With more rows than the sample has, the expected maximum
  /// of that many.
  [[nodiscard]] int longest() const {
    if (sample.empty()) return 0;
    const int most = *std::max_element(sample.begin(), sample.end());
    const auto sampled = static_cast<std::int64_t>(sample.size());
    if (rows <= sampled || sampled < 2) return most;
    const Spread of = spread();
    return most +
           static_cast<int>(std::lround(of.expected_longest(rows) - of.expected_longest(sampled)));
  }

  struct Spread {
    double mean = 0, deviation = 0;
    double skewness = 0;  ///< third central moment over the cube of the deviation
    /// Expected maximum of `count` rows of random coils: that of a normal distribution, less a
    /// correction since neighbours share their neighbours, plus a term of the skewness, which grows
    /// with z like in the expansion of E. A. Cornish and R. A. Fisher, Revue de l'Institut
    /// International de Statistique 5, 307 (1938). Fitted to 8,000 to 400,000 rows at 60 to 340
    /// mg/ml, where it is within 4 %, and once 8 %. With 16 and 50 million residues of coils
    /// (0.73/nm^3) the longest lists were 6.2 and 6.8 deviations above the mean; with a skewness of
    /// 0.5 this function gives 6.0 and 6.3.
    [[nodiscard]] double expected_longest(std::int64_t count) const {
      const double z = std::sqrt(2 * std::log(static_cast<double>(count))) - 1.25;
      const double clamped_skewness = std::clamp(skewness, 0.0, 1.0);  // the fit's range
      return mean + deviation * (z + clamped_skewness * (z * z + 15) / 12);
    }
  };
  /// Returns mean, deviation and skewness of the sample.
  [[nodiscard]] Spread spread() const {
    if (sample.empty()) return {};
    const auto n = static_cast<double>(sample.size());
    double sum = 0, squares = 0, cubes = 0;
    for (const int k : sample) sum += k;
    const double mean = sum / n;
    for (const int k : sample) {
      const double beyond = k - mean;
      squares += beyond * beyond;
      cubes += beyond * beyond * beyond;
    }
    const double deviation = std::sqrt(squares / n);
    return {mean, deviation, deviation > 0 ? cubes / n / std::pow(deviation, 3) : 0.0};
  }
  /// Multiplies the number of neighbours of each row.
  void lengthen(double times) {
    for (int& neighbours : sample) neighbours = static_cast<int>(std::lround(times * neighbours));
  }
};

/// Counts of the halo exchange; all 0 on a single rank.
struct HaloCounts {
  std::int64_t sent = 0, sent_partners = 0;  ///< rows, once for each receiving rank
  std::int64_t peers = 0;                    ///< ranks that it exchanges halos with
  std::int64_t sent_far = 0, far_peers = 0;  ///< rows sent to, and peers on, other nodes
  double near_share = 0;  ///< fraction of cells in windows shared with a peer, summed over peers
  bool writes_to_peers = false;  ///< GPUs that write into each other's memory
};

struct RankCounts {
  std::int64_t residues = 0;  ///< in the whole system
  int ranks = 1;
  std::int64_t owned = 0;
  std::int64_t partners = 0;      ///< ghosts that terms reach
  std::int64_t other_ghosts = 0;  ///< those that only pairs reach
  std::int64_t charged = 0;       ///< owned residues with a charge, with or without electrostatics
  std::array<std::int64_t, term_kinds> inner_terms{}, border_terms{};  ///< without, with ghosts
  std::array<double, term_kinds> term_extent_nm{};  ///< mean distance of the first and last residue
  /// Sum over groups of owned rows with interleaved lists of term ends: the longest list of each.
  std::int64_t longest_end_lists = 0;
  std::int64_t exclusions = 0;          ///< sum over all owned rows
  std::vector<std::int64_t> in_biases;  ///< owned residues of each bias
  bool is_uniform_chain = false;        ///< see ChainTable
  std::array<double, 3> extent_nm{};    ///< extent of the local rows
  std::array<double, 3> spread_nm{};    ///< extent of all residues
  system::Box box;
  NeighbourCounts pairs, charges;
  HaloCounts halo;

  [[nodiscard]] std::int64_t fixed_rows() const { return owned + partners; }
  [[nodiscard]] std::int64_t rows() const { return fixed_rows() + other_ghosts; }
};

}  // namespace nfold::domain
