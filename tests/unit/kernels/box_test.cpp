// Nearest images by integer overflow, in boxes up to two micrometres.
// SPDX-License-Identifier: BSD-3-Clause
#include "system/box.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/arithmetic/fixed_point.hpp"

namespace nfold::kernels {
namespace {

/// Difference of two positions along one axis, as a pair loop computes it.
template <class Precision>
double difference_nm(const system::Box& box, std::int64_t a, std::int64_t b) {
  using Real = typename Precision::Real;
  const auto scale = static_cast<Real>(box.span_nm(0) / Precision::coordinates_per_turn);
  return static_cast<double>(Precision::to_nm(
      Precision::difference(Precision::coordinate(a), Precision::coordinate(b)), scale));
}

/// The nearest image of the exact difference.
long double exact_nm(const system::Box& box, std::int64_t a, std::int64_t b) {
  const auto turn = static_cast<long double>(system::Box::counts_per_turn);
  const auto apart = static_cast<long double>(a - b);
  return (apart - turn * std::nearbyint(apart / turn)) * static_cast<long double>(box.span_nm(0)) /
         turn;
}

TEST(Box, DifferencesAreExactToAMillionth) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> position(-3, 3), apart(0.6, 2.5);
  for (const double length : {4.1, 20.0, 333.3, 1999.9, 0.0}) {
    const system::Box box{{length, 0, 0}};
    const double span = box.span_nm(0);
    for (int k = 0; k < 20'000; ++k) {
      // One position within three boxes, its partner near it or near one of its images.
      const double x = position(random) * span;
      const double images = length > 0 ? std::floor(position(random)) * span : 0;
      const std::int64_t a = box.to_counts(0, x);
      const std::int64_t b = box.to_counts(0, x + (k % 2 == 0 ? 1 : -1) * apart(random) + images);
      const auto exact = static_cast<double>(exact_nm(box, a, b));
      if (length > 0 && std::abs(exact) > 0.499 * length) continue;  // rounding decides the image
      ASSERT_NEAR(difference_nm<Full>(box, a, b), exact, 1e-12 * std::abs(exact) + 1e-15 * span);
      // An open axis spans 4,096 nm: its grid is twice as coarse as that of the largest box.
      const double millionth = (length > 0 ? 1e-6 : 2e-6) * std::abs(exact);
      ASSERT_NEAR(difference_nm<Mixed>(box, a, b), exact, millionth) << length;
    }
  }
}

TEST(Box, CountsAndLengthsConvert) {
  const system::Box box{{10, 0, 2000}};
  EXPECT_TRUE(box.is_periodic(0));
  EXPECT_FALSE(box.is_periodic(1));
  EXPECT_FALSE(box.is_open());
  EXPECT_EQ(box.to_counts(0, 10), std::int64_t{1} << system::Box::turn_bits);
  EXPECT_EQ(box.to_counts(1, 1), std::int64_t{1} << 32);
  EXPECT_NEAR(box.to_nm(2, box.to_counts(2, -1234.5)), -1234.5, 1e-10);  // one count
  EXPECT_EQ(box.to_coarse_counts(0, 3.21) % 4096, 0);
  EXPECT_NEAR(box.nearest_nm(0, 9.5), -0.5, 1e-12);
  EXPECT_EQ(box.nearest_nm(1, 9.5), 9.5);
  EXPECT_EQ(box.volume_nm3(), 0);
}

}  // namespace
}  // namespace nfold::kernels
