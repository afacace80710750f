// Exact sums beyond 2^63 in any order, and saturation of energies.
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/arithmetic/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace nfold::kernels {
namespace {

/// Largest and smallest terms of a loop, and terms that carry between words.
const std::vector<std::int64_t>& terms() {
  static const std::vector<std::int64_t> all{std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::min(),
                                             -1,
                                             1,
                                             0,
                                             0x1'0000'0000,
                                             -0xffff'ffff,
                                             to_energy_counts(43)};
  return all;
}

template <class Terms>
ExactSum sum_terms(const Terms& values) {
  ExactSum sum;
  for (const std::int64_t value : values) sum += value;
  return sum;
}

TEST(ExactSum, HoldsSumsBeyond64Bits) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(sum_terms(std::vector{most, most, most}),
            (ExactSum{0x7fff'ffff'ffff'fffd, 1}));  // 3 (2^63 - 1) = 2^64 + 2^63 - 3
  EXPECT_EQ(sum_terms(std::vector{-most - 1, -most - 1, std::int64_t{-1}}),
            (ExactSum{0xffff'ffff'ffff'ffff, -2}));  // -2^64 - 1
  EXPECT_EQ(sum_terms(std::vector{most, std::int64_t{5}, -most, std::int64_t{-5}}),
            (ExactSum{0, 0}));
}

TEST(ExactSum, IsIndependentOfOrderAndGrouping) {
  auto values = terms();
  const ExactSum expected = sum_terms(values);
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::shuffle(values.begin(), values.end(), random);
    const auto cut = static_cast<std::ptrdiff_t>(random() % (values.size() + 1));
    ExactSum sum = sum_terms(std::vector(values.begin(), values.begin() + cut));
    sum += sum_terms(std::vector(values.begin() + cut, values.end()));
    EXPECT_EQ(sum, expected) << "cut " << cut;
  }
}

TEST(ExactSums, LargeSystemsDoNotWrap) {
  // Doubled again and again: 2^26 = 67 million residues, more than 2.1e9 kJ/mol.
  ExactSums<2> sums;
  sums.add_energy(0, 43);
  sums.add_energy(1, -43);
  for (int doubling = 0; doubling < 26; ++doubling) sums += ExactSums(sums);
  const std::uint64_t low = std::uint64_t{43} << 58U;  // 43 * 2^32 * 2^26, modulo 2^64
  EXPECT_EQ(sums.sum[0], (ExactSum{low, 0}));
  EXPECT_EQ(sums.sum[1], (ExactSum{~low + 1, -1}));
  EXPECT_EQ(sums.saturated, 0);
}

TEST(ExactSums, OutOfRangeValuesSaturate) {
  ExactSums<1> sums;
  sums.add_energy(0, energy_limit);
  sums.add_energy(0, -energy_limit);
  EXPECT_EQ(sums.saturated, 0);
  const std::int64_t limit = std::int64_t{1} << 50U;
  const double beyond[] = {1.01 * energy_limit, -1e300, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  const std::int64_t counts[] = {limit, -limit, limit, -limit};
  for (int k = 0; k < 4; ++k) {
    ExactSums<1> one;
    one.add_energy(0, beyond[k]);
    EXPECT_EQ(one.sum[0], sum_terms(std::vector{counts[k]})) << beyond[k];
    sums += one;
    EXPECT_EQ(sums.saturated, k + 1);
  }
}

}  // namespace
}  // namespace nfold::kernels
