// Exact sums over all ranks, and their conversion to double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "comm/communicator.hpp"
#include "kernels/arithmetic/exact_sum.hpp"

namespace nfold::forces {

/// Returns the double nearest to the sum, ties to even, like a conversion from int64.
[[nodiscard]] inline double nearest_double(const kernels::ExactSum& sum) {
  std::uint64_t low = sum.low;
  auto high = static_cast<std::uint64_t>(sum.high);
  const bool is_negative = sum.high < 0;
  if (is_negative) {
    low = ~low + 1;
    high = ~high + (low == 0 ? 1 : 0);
  }
  // The leading 64 bits, with the last one set if any bit after it is set: it lies far enough below
  // the last bit that a double keeps.
  const int behind = 64 - std::countl_zero(high);
  if (behind > 0) {
    const bool has_rest = behind == 64 ? low != 0 : low << static_cast<unsigned>(64 - behind) != 0;
    low = behind == 64 ? high
                       : (high << static_cast<unsigned>(64 - behind)) |
                             (low >> static_cast<unsigned>(behind));
    if (has_rest) low |= 1U;
  }
  const double size = std::ldexp(static_cast<double>(low), behind);
  return is_negative ? -size : size;
}

/// Converts a sum of energy counts to [kJ/mol].
[[nodiscard]] inline double to_energy_kj_mol(const kernels::ExactSum& sum) {
  return nearest_double(sum) * (1 / kernels::energy_counts);
}

/// Collective. Sums over all ranks, in place; by 32-bit quarters, whose int64 sums cannot overflow
/// with fewer than 2^31 ranks.
template <int n>
void sum_ranks(const comm::Communicator& communicator, kernels::ExactSums<n>& sums) {
  constexpr std::uint64_t lower = 0xffffffffU;
  std::array<std::int64_t, 4 * n + 1> parts{};
  for (std::size_t k = 0; k < n; ++k) {
    const auto& [low, high] = sums.sum[k];
    parts[4 * k] = static_cast<std::int64_t>(low & lower);
    parts[4 * k + 1] = static_cast<std::int64_t>(low >> 32U);
    parts[4 * k + 2] = static_cast<std::int64_t>(static_cast<std::uint64_t>(high) & lower);
    parts[4 * k + 3] = high >> 32U;
  }
  parts[4 * n] = sums.saturated;
  communicator.sum(std::span<std::int64_t>(parts));
  for (std::size_t k = 0; k < n; ++k) {
    const auto second = static_cast<std::uint64_t>(parts[4 * k + 1]);
    kernels::ExactSum& total = sums.sum[k];
    total = {static_cast<std::uint64_t>(parts[4 * k]), 0};
    total += {second << 32U, static_cast<std::int64_t>(second >> 32U)};
    total.high += parts[4 * k + 2] + parts[4 * k + 3] * (std::int64_t{1} << 32U);
  }
  sums.saturated = parts[4 * n];
}

}  // namespace nfold::forces
