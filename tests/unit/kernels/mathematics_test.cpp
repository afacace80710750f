// Elementary functions against the standard library, and Philox against known answers.
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/arithmetic/mathematics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/arithmetic/philox.hpp"

namespace nfold::kernels {
namespace {

template <class Real>
class Mathematics : public testing::Test {
 public:
  // Relative error allowed: a few units in the last place.
  static constexpr double tolerance = sizeof(Real) == 8 ? 4e-16 : 2.5e-7;
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Mathematics, Reals);

TYPED_TEST(Mathematics, LogarithmAgreesWithTheStandardLibrary) {
  for (int i = 1; i < 200000; ++i) {
    const auto x = static_cast<TypeParam>(i * 1.2345e-5);
    const double expected = std::log(static_cast<double>(x));
    ASSERT_NEAR(natural_log(x), expected, this->tolerance * std::max(0.2, std::abs(expected))) << x;
  }
  EXPECT_NEAR(natural_log(TypeParam(0x1p-33)), std::log(0x1p-33), 22 * this->tolerance);
}

TYPED_TEST(Mathematics, ExponentialAgreesWithTheStandardLibrary) {
  for (int i = 0; i < 100000; ++i) {
    const auto x = static_cast<TypeParam>(-80.0 * i / 100000);
    const double expected = std::exp(static_cast<double>(x));
    ASSERT_NEAR(exponential(x) / expected, 1.0, 2 * this->tolerance) << x;
  }
  EXPECT_LT(exponential(TypeParam(-1e6)), 1e-30);
}

TYPED_TEST(Mathematics, ExponentialDecayAgreesWithTheStandardLibrary) {
  for (int i = 0; i < 100000; ++i) {
    const auto r = static_cast<TypeParam>(8.0 * i / 100000);
    for (const double rate : {0.5, 1.26, 10.0}) {
      const double exponent = rate * static_cast<double>(r);
      const double rounding = (2 + 2 * exponent) * this->tolerance;
      ASSERT_NEAR(exponential_decay(static_cast<TypeParam>(rate), r) / std::exp(-exponent), 1.0,
                  rounding)
          << rate << ' ' << r;
    }
  }
  EXPECT_LT(exponential_decay(TypeParam(10), TypeParam(1e5)), 1e-30);
}

TYPED_TEST(Mathematics, SineAndCosineAgreeWithTheStandardLibrary) {
  for (std::uint64_t i = 0; i <= 0xffffffffU; i += 41'231) {
    const auto word = static_cast<std::uint32_t>(i);
    TypeParam sine, cosine;
    sine_cosine_of_word(word, sine, cosine);
    const double angle = 2 * M_PI * (word + (sizeof(TypeParam) == 8 ? 0.5 : 0.0)) * 0x1p-32;
    ASSERT_NEAR(sine, std::sin(angle), 2 * this->tolerance) << word;
    ASSERT_NEAR(cosine, std::cos(angle), 2 * this->tolerance) << word;
  }
}

TEST(MathematicsOfDoubles, SineAndCosineOfTurnsAgreeWithTheStandardLibrary) {
  for (int i = 0; i <= 100000; ++i) {
    double sine, cosine;
    sine_cosine_of_turns(i / 100000.0, sine, cosine);
    ASSERT_NEAR(sine, std::sin(2 * M_PI * i / 100000), 2e-15) << i;
    ASSERT_NEAR(cosine, std::cos(2 * M_PI * i / 100000), 2e-15) << i;
  }
}

TYPED_TEST(Mathematics, AngleAgreesWithTheStandardLibrary) {
  for (int i = 0; i <= 100000; ++i) {
    const double angle = M_PI * i / 100000;
    const auto x = static_cast<TypeParam>(0.7 * std::cos(angle));
    const auto y = static_cast<TypeParam>(std::abs(0.7 * std::sin(angle)));
    ASSERT_NEAR(vector_angle(x, y), std::atan2(static_cast<double>(y), static_cast<double>(x)),
                4 * this->tolerance)
        << angle;
  }
}

/// Counts wrongly rounded reciprocals and square roots. Work item: one mantissa.
struct WrongRoots {
  int exponent;
  KOKKOS_FUNCTION void operator()(int mantissa, int& wrong) const {
    const float x = float_from_bits(((exponent + 127) << 23) + mantissa);
    const double exact_root = Kokkos::sqrt(static_cast<double>(x));
    const auto expected_root = static_cast<float>(exact_root);  // rounded twice: right for a root
    const auto expected = static_cast<float>(1.0 / static_cast<double>(x));
    wrong += static_cast<int>(to_bits(square_root(x)) != to_bits(expected_root)) +
             static_cast<int>(to_bits(reciprocal(x)) != to_bits(expected));
  }
};

// Covers all exponents in use on a GPU, whose roots are made of approximations.
TEST(Roots, AreCorrectlyRounded) {
  Kokkos::ScopeGuard kokkos;
#ifdef KOKKOS_ENABLE_CUDA
  constexpr int mantissas = 1 << 23, first = -40, last = 40;
#else
  constexpr int mantissas = 1 << 23, first = -1, last = 1;
#endif
  for (int exponent = first; exponent <= last; ++exponent) {
    int wrong = 0;
    Kokkos::parallel_reduce("roots", Kokkos::RangePolicy<>(0, mantissas), WrongRoots{exponent},
                            wrong);
    EXPECT_EQ(wrong, 0) << exponent;
  }
}

TEST(Conversions, AreExactInTheirRange) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1},
                               (std::int64_t{1} << 50) + 3, -(std::int64_t{1} << 50) - 7}) {
    EXPECT_EQ(to_double(n), static_cast<double>(n));
    EXPECT_EQ(round_to_int64(static_cast<double>(n)), n);
  }
  EXPECT_EQ(round_to_int64(2.5), 2);
  EXPECT_EQ(round_to_int64(-3.5), -4);
}

// Known answers of Random123 (kat_vectors), physics.md section E.
TEST(Philox, MatchesKnownAnswers) {
  const auto zero = philox_4x32_10(0, 0, 0, 0, 0, 0);
  EXPECT_EQ(zero.w0, 0x6627e8d5U);
  EXPECT_EQ(zero.w3, 0x9b00dbd8U);
  constexpr std::uint32_t ones = 0xffffffffU;
  const auto full = philox_4x32_10(ones, ones, ones, ones, ones, ones);
  EXPECT_EQ(full.w1, 0x41c83b0eU);
  EXPECT_EQ(full.w2, 0xa20bc7c6U);
  const auto pi =
      philox_4x32_10(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0);
  EXPECT_EQ(pi.w0, 0xd16cfe09U);
  EXPECT_EQ(pi.w1, 0x94fdccebU);
  EXPECT_EQ(pi.w2, 0x5001e420U);
  EXPECT_EQ(pi.w3, 0x24126ea1U);
}

/// Each part of an address changes the numbers, including the upper half of a replica's number.
TEST(Philox, AddressesDiffer) {
  constexpr std::uint64_t last_step = (std::uint64_t{1} << 48U) - 1;
  std::set<std::uint64_t> first_words;
  int addresses = 0;
  for (const std::uint32_t replica : {0U, 3U, 0xffffU, 0x10000U, 0x10003U, 0xffffffffU}) {
    for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1} << 32U, last_step}) {
      for (const std::uint32_t block : {0U, 1U}) {
        const auto w = random_words(5, RandomStream::langevin_noise, replica, 7, step, block);
        first_words.insert((std::uint64_t{w.w0} << 32U) | w.w1);
        ++addresses;
      }
    }
  }
  EXPECT_EQ(first_words.size(), static_cast<std::size_t>(addresses));
}

// physics.md, test case 14.
TEST(Philox, MatchesKeyedExample) {
  const auto w = random_words(20240229, RandomStream::langevin_noise, 3, 7, 1000, 0);
  EXPECT_EQ(w.w0, 0x95fa74f2U);
  EXPECT_EQ(w.w1, 0x8200e01fU);
  EXPECT_EQ(w.w2, 0x77de7a43U);
  EXPECT_EQ(w.w3, 0xd0d802beU);
  double z0, z1, z2;
  three_normals(w, z0, z1, z2);
  EXPECT_NEAR(z0, -1.0328550535005, 1e-13);
  EXPECT_NEAR(z1, -0.0508278180021, 1e-13);
  EXPECT_NEAR(z2, 0.4948916137138, 1e-13);
  float f0, f1, f2;
  three_normals(w, f0, f1, f2);
  EXPECT_NEAR(f0, z0, 1e-6);
  EXPECT_NEAR(f1, z1, 1e-6);
  EXPECT_NEAR(f2, z2, 1e-6);
}

TEST(Philox, NormalsHaveStandardMoments) {
  double sums[4] = {0, 0, 0, 0};
  constexpr int draws = 200000;
  for (int i = 0; i < draws; ++i) {
    float z[3];
    three_normals(random_words(5, RandomStream::langevin_noise, 0, i, 17, 0), z[0], z[1], z[2]);
    for (const double x : z) {
      double power = 1;
      for (double& sum : sums) sum += (power *= x) / (3.0 * draws);
    }
  }
  // Standard errors of the k-th moment's mean: sqrt(var(x^k) / n), four of them allowed.
  EXPECT_NEAR(sums[0], 0, 4 * std::sqrt(1.0 / (3 * draws)));
  EXPECT_NEAR(sums[1], 1, 4 * std::sqrt(2.0 / (3 * draws)));
  EXPECT_NEAR(sums[2], 0, 4 * std::sqrt(15.0 / (3 * draws)));
  EXPECT_NEAR(sums[3], 3, 4 * std::sqrt(96.0 / (3 * draws)));
}

}  // namespace
}  // namespace nfold::kernels
