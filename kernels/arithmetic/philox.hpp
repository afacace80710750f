// Philox4x32-10 and Gaussian numbers addressed by (seed, stream, replica, residue, step).
// SPDX-License-Identifier: BSD-3-Clause
//
// Salmon, Moraes, Dror, Shaw, SC11 (2011). Box, Muller, Ann. Math. Stat. 29, 610 (1958).
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// All streams of random numbers in nfold; append only.
enum class RandomStream : std::uint32_t {
  initial_velocity = 0,
  langevin_noise = 1,
  exchange = 2,
  placement = 3
};

struct PhiloxWords {
  std::uint32_t w0, w1, w2, w3;
};

/// Computes both halves of a 64-bit product.
NFOLD_FUNCTION void multiply_wide(std::uint32_t a, std::uint32_t b, std::uint32_t& high,
                                  std::uint32_t& low) {
#ifdef __CUDA_ARCH__
  // Inline assembly: nvcc 13 emits several instructions for a shifted product.
  asm("{ .reg .u64 p; mul.wide.u32 p, %2, %3; mov.b64 {%0, %1}, p; }"
      : "=r"(low), "=r"(high)
      : "r"(a), "r"(b));
#else
  const std::uint64_t product = static_cast<std::uint64_t>(a) * b;
  high = static_cast<std::uint32_t>(product >> 32U);
  low = static_cast<std::uint32_t>(product);
#endif
}

/// Keys of the ten rounds.
struct PhiloxKeys {
  std::uint32_t even[10], odd[10];

  PhiloxKeys() = default;
  NFOLD_FUNCTION PhiloxKeys(std::uint32_t k0, std::uint32_t k1) {
    NFOLD_UNROLL
    for (std::uint32_t round = 0; round < 10; ++round) {
      even[round] = k0 + round * 0x9E3779B9U;
      odd[round] = k1 + round * 0xBB67AE85U;
    }
  }
  NFOLD_FUNCTION explicit PhiloxKeys(std::uint64_t seed)
      : PhiloxKeys(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)) {}
};

NFOLD_FUNCTION PhiloxWords philox_4x32_10(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                          std::uint32_t c3, const PhiloxKeys& keys) {
  NFOLD_UNROLL
  for (int round = 0; round < 10; ++round) {
    std::uint32_t h0, l0, h1, l1;
    multiply_wide(0xD2511F53U, c0, h0, l0);
    multiply_wide(0xCD9E8D57U, c2, h1, l1);
    c0 = h1 ^ c1 ^ keys.even[round];
    c1 = l1;
    c2 = h0 ^ c3 ^ keys.odd[round];
    c3 = l0;
  }
  return {c0, c1, c2, c3};
}
NFOLD_FUNCTION PhiloxWords philox_4x32_10(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                          std::uint32_t c3, std::uint32_t k0, std::uint32_t k1) {
  return philox_4x32_10(c0, c1, c2, c3, PhiloxKeys(k0, k1));
}

/// Returns the counter of the random words of one residue at one step. draw: index of the draw of
/// the residue in the step. Word 2 holds the upper 16 bits of the step, which is below 2^48, and
/// those of the replica number.
NFOLD_FUNCTION PhiloxWords random_counter(RandomStream stream, std::uint32_t replica,
                                          std::uint32_t residue, std::uint64_t step,
                                          std::uint32_t draw) {
  return {
      residue, static_cast<std::uint32_t>(step),
      (static_cast<std::uint32_t>(step >> 32U) & 0xffffU) | (replica & 0xffff0000U),
      (static_cast<std::uint32_t>(stream) << 24U) | ((draw & 0xffU) << 16U) | (replica & 0xffffU)};
}
NFOLD_FUNCTION PhiloxWords random_words(const PhiloxKeys& keys, RandomStream stream,
                                        std::uint32_t replica, std::uint32_t residue,
                                        std::uint64_t step, std::uint32_t draw) {
  const PhiloxWords c = random_counter(stream, replica, residue, step, draw);
  return philox_4x32_10(c.w0, c.w1, c.w2, c.w3, keys);
}
NFOLD_FUNCTION PhiloxWords random_words(std::uint64_t seed, RandomStream stream,
                                        std::uint32_t replica, std::uint32_t residue,
                                        std::uint64_t step, std::uint32_t draw) {
  return random_words(PhiloxKeys(seed), stream, replica, residue, step, draw);
}

/// Converts to the nearest float. AVX2 converts signed integers only, so two halves are joined by
/// one rounded addition.
NFOLD_FUNCTION float nearest_float(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __uint2float_rn(word);
#else
  return fused(static_cast<float>(static_cast<std::int32_t>(word >> 8U)), 0x1p8F,
               static_cast<float>(static_cast<std::int32_t>(word & 0xffU)));
#endif
}

/// Returns a uniform number in (0, 1]. It never is 1 in double; in float the largest words round to
/// 1.
template <class Real>
NFOLD_FUNCTION Real uniform(std::uint32_t word) {
  if constexpr (sizeof(Real) == 8) {
    return (to_double(static_cast<std::int64_t>(word)) + 0.5) * 0x1p-32;
  } else {
    return fused(nearest_float(word), 0x1p-32F, 0x1p-33F);
  }
}

NFOLD_FUNCTION void sine_cosine_of_word(std::uint32_t word, double& sine, double& cosine) {
  sine_cosine_of_turns(uniform<double>(word), sine, cosine);
}

/// Returns sqrt(-2 ln u); a number near 0 if u rounded to 1.
template <class Real>
NFOLD_FUNCTION Real normal_radius(std::uint32_t word) {
  const Real square = Real(-2) * natural_log(uniform<Real>(word));
  return square_root(square > Real(0x1p-60) ? square : Real(0x1p-60));
}

/// Computes three independent standard normal numbers from four words. The order of the words is
/// part of the reproducible result.
template <class Real>
NFOLD_FUNCTION void three_normals(const PhiloxWords& w, Real& z0, Real& z1, Real& z2) {
  const Real r01 = normal_radius<Real>(w.w0);
  const Real r23 = normal_radius<Real>(w.w2);
  Real sine, cosine, sine2, cosine2;
  sine_cosine_of_word(w.w1, sine, cosine);
  sine_cosine_of_word(w.w3, sine2, cosine2);
  z0 = r01 * cosine;
  z1 = r01 * sine;
  z2 = r23 * cosine2;
}

}  // namespace nfold::kernels
