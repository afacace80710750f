// Philox4x32-10 and Gaussian numbers addressed by (seed, stream, replica, residue, step).
// SPDX-License-Identifier: BSD-3-Clause
//
// Salmon, Moraes, Dror, Shaw, SC11 (2011). Box, Muller, Ann. Math. Stat. 29, 610 (1958).
#pragma once

#include "kernels/mathematics.hpp"
#include "kernels/portable.hpp"

namespace nfold::kernels {

/// Every stream of random numbers in nfold; append only.
enum class RandomStream : std::uint32_t {
  initial_velocity = 0,
  langevin_noise = 1,
  exchange = 2,
  placement = 3
};

struct PhiloxWords {
  std::uint32_t w0, w1, w2, w3;
};

NFOLD_FUNCTION PhiloxWords philox_4x32_10(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                          std::uint32_t c3, std::uint32_t k0, std::uint32_t k1) {
  NFOLD_UNROLL
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = static_cast<std::uint64_t>(0xD2511F53U) * c0;
    const std::uint64_t p1 = static_cast<std::uint64_t>(0xCD9E8D57U) * c2;
    const auto h0 = static_cast<std::uint32_t>(p0 >> 32U);
    const auto h1 = static_cast<std::uint32_t>(p1 >> 32U);
    c0 = h1 ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = h0 ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {c0, c1, c2, c3};
}

/// What the numbers of one residue at one step hang on; block counts draws within them. Steps are
/// below 2^48: the upper half of a replica's number stands above them.
NFOLD_FUNCTION PhiloxWords random_words(std::uint64_t seed, RandomStream stream,
                                        std::uint32_t replica, std::uint32_t residue,
                                        std::uint64_t step, std::uint32_t block) {
  return philox_4x32_10(
      residue, static_cast<std::uint32_t>(step),
      (static_cast<std::uint32_t>(step >> 32U) & 0xffffU) | (replica & 0xffff0000U),
      (static_cast<std::uint32_t>(stream) << 24U) | ((block & 0xffU) << 16U) | (replica & 0xffffU),
      static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U));
}

/// In (0, 1]: in double never 1; in float the largest words round to it.
template <class Real>
NFOLD_FUNCTION Real uniform(std::uint32_t word) {
  if constexpr (sizeof(Real) == 8) {
    return (to_double(static_cast<std::int64_t>(word)) + 0.5) * 0x1p-32;
  } else {
    // By halves, since AVX2 converts only signed integers: both halves are exact in float.
    const auto high = static_cast<float>(static_cast<std::int32_t>(word >> 8U));
    const auto low = static_cast<float>(static_cast<std::int32_t>(word & 0xffU));
    return high * 0x1p-24F + (low + 0.5F) * 0x1p-32F;
  }
}

/// Three independent standard normal numbers from four words; the words' order is part of the bits.
template <class Real>
NFOLD_FUNCTION void three_normals(const PhiloxWords& w, Real& z0, Real& z1, Real& z2) {
  const Real r01 = Kokkos::sqrt(Real(-2) * natural_log(uniform<Real>(w.w0)));
  const Real r23 = Kokkos::sqrt(Real(-2) * natural_log(uniform<Real>(w.w2)));
  Real sine, cosine, sine2, cosine2;
  sine_cosine_of_turns(uniform<Real>(w.w1), sine, cosine);
  sine_cosine_of_turns(uniform<Real>(w.w3), sine2, cosine2);
  z0 = r01 * cosine;
  z1 = r01 * sine;
  z2 = r23 * cosine2;
}

}  // namespace nfold::kernels
