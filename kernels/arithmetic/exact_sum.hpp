// Exact sums of int64 counts that cannot overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Signed 128-bit integer, high * 2^64 + low. Terms are below 2^63, so 2^64 of them fit in any
/// order.
struct ExactSum {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  NFOLD_FUNCTION ExactSum& operator+=(std::int64_t term) {
    return *this += ExactSum{static_cast<std::uint64_t>(term), term < 0 ? -1 : 0};
  }
  NFOLD_FUNCTION ExactSum& operator+=(const ExactSum& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  friend NFOLD_FUNCTION bool operator==(const ExactSum& a, const ExactSum& b) {
    return a.low == b.low && a.high == b.high;
  }
};

/// Partial sums of a loop over residues, terms or pairs; += joins two of them.
template <int n>
struct ExactSums {
  ExactSum sum[n];
  std::int64_t saturated = 0;  // values out of range or NaN

  /// Adds an energy [kJ/mol] as energy counts.
  NFOLD_FUNCTION void add_energy(int which, double energy) {
    sum[which] += to_energy_counts(energy);
    saturated += is_countable_energy(energy) ? 0 : 1;
  }
  NFOLD_FUNCTION ExactSums& operator+=(const ExactSums& other) {
    for (int k = 0; k < n; ++k) sum[k] += other.sum[k];
    saturated += other.saturated;
    return *this;
  }
};

}  // namespace nfold::kernels
