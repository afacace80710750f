// Compiler portability for kernels: inlining, lanes, exact conversions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#define NFOLD_FUNCTION KOKKOS_FORCEINLINE_FUNCTION

// NFOLD_LANES marks a loop with independent iterations, which GCC then vectorises ("omp simd" makes
// GCC 12 keep local arrays in memory, measured 2x slower).
#if defined(__CUDACC__) || defined(__clang__)
#define NFOLD_LANES
#define NFOLD_UNROLL
#else
#define NFOLD_LANES _Pragma("GCC ivdep")
#define NFOLD_UNROLL _Pragma("GCC unroll 12")
#endif

namespace nfold::kernels {

#ifdef KOKKOS_ENABLE_CUDA
inline constexpr int lanes = 1;          // items that one call of a kernel processes
inline constexpr int row_group = 32;     // rows whose lists of term ends are interleaved
inline constexpr int list_group = 32;    // rows whose neighbour lists are interleaved
inline constexpr int pair_lanes = 1;     // neighbours that one row processes at once
inline constexpr int rows_per_item = 1;  // rows per work item of the pair loops
#else
inline constexpr int lanes = 16;
inline constexpr int row_group = 16;
inline constexpr int list_group = 1;
inline constexpr int pair_lanes = 8;
inline constexpr int rows_per_item = 16;
#endif
/// Tables are padded to a multiple of this, so that no kernel has a remainder loop; term tables
/// only if there are lanes.
inline constexpr int padding = 32;
inline constexpr int term_padding = lanes == 1 ? 1 : padding;

[[nodiscard]] constexpr int padded(int n) { return (n + padding - 1) / padding * padding; }

NFOLD_FUNCTION std::int64_t to_bits(double x) { return Kokkos::bit_cast<std::int64_t>(x); }
NFOLD_FUNCTION double double_from_bits(std::int64_t bits) { return Kokkos::bit_cast<double>(bits); }
NFOLD_FUNCTION std::int32_t to_bits(float x) { return Kokkos::bit_cast<std::int32_t>(x); }
NFOLD_FUNCTION float float_from_bits(std::int32_t bits) { return Kokkos::bit_cast<float>(bits); }

/// Waits for the results of the kernel before this one. Kernels that follow each other may overlap:
/// the next may start early, but waits here before it reads them. Results of earlier kernels may be
/// read at once, since each kernel passes this wait before it lets the next one start.
NFOLD_FUNCTION void wait_for_previous_kernel() {
#ifdef __CUDA_ARCH__
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Returns a b + c, rounded once. Nothing else in nfold is contracted.
NFOLD_FUNCTION float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
NFOLD_FUNCTION double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class Real>
NFOLD_FUNCTION Real squared_length(Real x, Real y, Real z) {
  return fused(x, x, fused(y, y, z * z));
}
/// Returns the inner product of two 3-vectors. All terms use these functions, so that the compiler
/// can share common subexpressions.
template <class Real>
NFOLD_FUNCTION Real inner_product(const Real* a, const Real* b) {
  return fused(a[0], b[0], fused(a[1], b[1], a[2] * b[2]));
}
template <class Real>
NFOLD_FUNCTION Real squared_length(const Real* a) {
  return squared_length(a[0], a[1], a[2]);
}
template <class Real>
NFOLD_FUNCTION void cross_product(const Real* a, const Real* b, Real* c) {
  c[0] = fused(a[1], b[2], -(a[2] * b[1]));
  c[1] = fused(a[2], b[0], -(a[0] * b[2]));
  c[2] = fused(a[0], b[1], -(a[1] * b[0]));
}

/// Converts exactly for |n| < 2^51, by a magic number, since AVX2 has no such conversion.
NFOLD_FUNCTION double to_double(std::int64_t n) {
  return double_from_bits(n + 0x4338000000000000) - 0x1.8p52;
}
/// Rounds to the nearest integer, ties to even, for |x| < 2^51.
NFOLD_FUNCTION std::int64_t round_to_int64(double x) {
  return to_bits(x + 0x1.8p52) - 0x4338000000000000;
}

}  // namespace nfold::kernels
