// Philox4x32-10 of pair_lanes counters at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/philox.hpp"

#if defined(__AVX2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace nfold::kernels {

/// Replaces counters by their random words: those of lane k are word[0][k] to word[3][k]. Compilers
/// split and join the halves of each product; here the odd lanes are vectors of their own.
inline void philox_of_lanes(std::uint32_t (&word)[4][pair_lanes], const PhiloxKeys& keys) {
#if defined(__AVX2__) && !defined(__CUDACC__)
  const auto half = [](std::uint32_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); };
  const __m256i first_factor = half(0xD2511F53U), second_factor = half(0xCD9E8D57U);
  __m256i c[2][4];  // even and odd lanes, in the low halves of 64 bits
  for (int k = 0; k < 4; ++k) {
    c[0][k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(word[k]));
    c[1][k] = _mm256_srli_epi64(c[0][k], 32);
  }
  NFOLD_UNROLL
  for (int round = 0; round < 10; ++round) {
    const __m256i even = half(keys.even[round]), odd = half(keys.odd[round]);
    for (auto& of : c) {
      const __m256i first = _mm256_mul_epu32(of[0], first_factor);
      const __m256i second = _mm256_mul_epu32(of[2], second_factor);
      of[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(second, 32), of[1]), even);
      of[1] = second;
      of[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(first, 32), of[3]), odd);
      of[3] = first;
    }
  }
  for (int k = 0; k < 4; ++k) {
    const __m256i joined = _mm256_blend_epi32(c[0][k], _mm256_slli_epi64(c[1][k], 32), 0xaa);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(word[k]), joined);
  }
#else
  for (int lane = 0; lane < pair_lanes; ++lane) {
    const PhiloxWords w =
        philox_4x32_10(word[0][lane], word[1][lane], word[2][lane], word[3][lane], keys);
    word[0][lane] = w.w0;
    word[1][lane] = w.w1;
    word[2][lane] = w.w2;
    word[3][lane] = w.w3;
  }
#endif
}

}  // namespace nfold::kernels
