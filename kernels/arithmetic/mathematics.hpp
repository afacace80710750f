// Portable log, exp, sine, cosine and angle: the same bits on every machine.
// SPDX-License-Identifier: BSD-3-Clause
//
// Minimax coefficients: Cephes Mathematical Library (Moshier, 1989); sine and cosine in double:
// fdlibm (Sun, 1993). The code is straight-line with selects only, so that lanes do not diverge.
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Returns the natural logarithm of a positive normal number; relative error below 1e-7.
NFOLD_FUNCTION float natural_log(float x) {
  const std::int32_t bits = to_bits(x);
  // Mantissa in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) moves the exponent
  // boundary.
  const std::int32_t shifted = bits - 0x3f3504f3;
  const std::int32_t exponent = shifted >> 23;
  const float m = float_from_bits((shifted & 0x007fffff) + 0x3f3504f3) - 1.0F;
  const auto e = static_cast<float>(exponent);
  const float z = m * m;
  float p = 7.0376836292e-2F;
  p = fused(p, m, -1.1514610310e-1F);
  p = fused(p, m, 1.1676998740e-1F);
  p = fused(p, m, -1.2420140846e-1F);
  p = fused(p, m, 1.4249322787e-1F);
  p = fused(p, m, -1.6668057665e-1F);
  p = fused(p, m, 2.0000714765e-1F);
  p = fused(p, m, -2.4999993993e-1F);
  p = fused(p, m, 3.3333331174e-1F);
  const float y = fused(z, -0.5F, fused(e, -2.12194440e-4F, m * z * p));
  return fused(e, 0.693359375F, m + y);
}

NFOLD_FUNCTION double natural_log(double x) {
  const std::int64_t shifted = to_bits(x) - 0x3fe6a09e667f3bcd;
  // Arithmetic shift through an unsigned one: AVX2 has no other for 64 bits.
  const auto biased = static_cast<std::uint64_t>(shifted) + 0x4000000000000000U;
  const auto e = to_double(static_cast<std::int64_t>(biased >> 52U) - 0x400);
  const double m = double_from_bits((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
  const double z = m * m;
  double p = 1.01875663804580931796e-4;
  p = p * m + 4.97494994976747001425e-1;
  p = p * m + 4.70579119878881725854;
  p = p * m + 1.44989225341610930846e1;
  p = p * m + 1.79368678507819816313e1;
  p = p * m + 7.70838733755885391666;
  double q = m + 1.12873587189167450590e1;
  q = q * m + 4.52279145837532221105e1;
  q = q * m + 8.29875266912776603211e1;
  q = q * m + 7.11544750618563894466e1;
  q = q * m + 2.31251620126765340583e1;
  double y = m * (z * p / q);
  y = y - e * 2.121944400546905827679e-4;
  y = y - 0.5 * z;
  return (m + y) + e * 0.693359375;
}

/// Return 1/x and the square root of x, correctly rounded, for 2^-100 < x < 2^100. In this range a
/// GPU needs its approximation and one Newton step only (tested for every float).
NFOLD_FUNCTION float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fused(y, fused(-x, y, 1.0F), y);
#else
  return 1.0F / x;
#endif
}
NFOLD_FUNCTION float square_root(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float root = x * y;
  return fused(fused(-root, root, x), 0.5F * y, root);
#else
  return Kokkos::sqrt(x);
#endif
}
NFOLD_FUNCTION double reciprocal(double x) { return 1.0 / x; }
NFOLD_FUNCTION double square_root(double x) { return Kokkos::sqrt(x); }

/// Adding and subtracting this constant rounds a float to an integer.
inline constexpr float rounding_magic = 0x1.8p23F;
/// Returns 2^n y for a number n rounded by rounding_magic: the low bits of `whole` are n, and the
/// shift drops those above.
NFOLD_FUNCTION float times_power_of_two(float y, float whole) {
  return float_from_bits(
      to_bits(y) + static_cast<std::int32_t>(static_cast<std::uint32_t>(to_bits(whole)) << 23U));
}

/// Returns e^x for x in [-87, 0]; smaller x are clamped to -87.
NFOLD_FUNCTION float exponential(float x_any) {
  const float x = x_any < -87.0F ? -87.0F : x_any;
  const float whole = fused(x, 1.44269504F, rounding_magic);
  const float n = whole - rounding_magic;
  const float r = fused(n, 2.12194440e-4F, fused(n, -0.693359375F, x));
  float p = 1.9875691500e-4F;
  p = fused(p, r, 1.3981999507e-3F);
  p = fused(p, r, 8.3334519073e-3F);
  p = fused(p, r, 4.1665795894e-2F);
  p = fused(p, r, 1.6666665459e-1F);
  p = fused(p, r, 5.0000001201e-1F);
  const float y = fused(p, r * r, r) + 1.0F;
  return times_power_of_two(y, whole);
}

/// Returns e^(-rate r) for products up to 87; larger ones are clamped. Method: 2^x of Cephes. The
/// rounding of the product bounds the error: 4e-7 for a product of 5.
NFOLD_FUNCTION float exponential_decay(float rate, float r) {
  const float x_any = r * (rate * -1.44269504F);
  const float x = x_any < -126.0F ? -126.0F : x_any;
  const float whole = x + rounding_magic;
  const float f = x - (whole - rounding_magic);
  float p = 1.535336188319500e-4F;
  p = fused(p, f, 1.339887440266574e-3F);
  p = fused(p, f, 9.618437357674640e-3F);
  p = fused(p, f, 5.550332471162809e-2F);
  p = fused(p, f, 2.402264791363012e-1F);
  p = fused(p, f, 6.931472028550421e-1F);
  p = fused(p, f, 1.0F);
  return times_power_of_two(p, whole);
}

/// Returns e^x for x in [-700, 0]; smaller x are clamped to -700.
NFOLD_FUNCTION double exponential(double x_any) {
  const double x = x_any < -700.0 ? -700.0 : x_any;
  const std::int64_t whole = round_to_int64(x * 1.4426950408889634073599);
  const double n = to_double(whole);
  const double r = (x - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6;
  const double z = r * r;
  const double p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z +
                        9.99999999999999999910e-1);
  const double q = ((3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z +
                    2.27265548208155028766e-1) *
                       z +
                   2.0;
  const double y = 1.0 + 2.0 * (p / (q - p));
  return y * double_from_bits(
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(whole + 1023) << 52U));
}

NFOLD_FUNCTION double exponential_decay(double rate, double r) { return exponential(-rate * r); }

/// Computes sine and cosine of word * 2^-32 full turns.
NFOLD_FUNCTION void sine_cosine_of_word(std::uint32_t word, float& sine, float& cosine) {
  // The upper two bits count quarter turns. The others, as a signed number, are the offset from the
  // nearest quarter, within half a quarter either way.
  const std::uint32_t quarter = (word + 0x20000000U) >> 30U;
  const float a = static_cast<float>(static_cast<std::int32_t>(word << 2U)) * 3.6572951e-10F;
  const float z = a * a;
  const float s =
      fused(fused(fused(-1.9515295891e-4F, z, 8.3321608736e-3F), z, -1.6666654611e-1F) * z, a, a);
  const float c = fused(fused(fused(fused(2.443315711809948e-5F, z, -1.388731625493765e-3F), z,
                                    4.166664568298827e-2F),
                              z, -0.5F),
                        z, 1.0F);
  const bool swap = (quarter & 1U) != 0;
  const std::int32_t s0 = to_bits(swap ? c : s);
  const std::int32_t c0 = to_bits(swap ? s : c);
  sine = float_from_bits(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(s0) ^ ((quarter & 2U) << 30U)));
  cosine = float_from_bits(
      static_cast<std::int32_t>(static_cast<std::uint32_t>(c0) ^ (((quarter + 1U) & 2U) << 30U)));
}

/// Computes sine and cosine of 2 pi turns, turns in [0, 1].
NFOLD_FUNCTION void sine_cosine_of_turns(double turns, double& sine, double& cosine) {
  const std::int64_t quadrant = round_to_int64(turns * 4.0);
  const double a = (turns - to_double(quadrant) * 0.25) * 6.283185307179586476925;
  const double z = a * a;
  double s = 1.58969099521155010221e-10;
  s = s * z - 2.50507602534068634195e-08;
  s = s * z + 2.75573137070700676789e-06;
  s = s * z - 1.98412698298579493134e-04;
  s = s * z + 8.33333333332248946124e-03;
  s = s * z - 1.66666666666666324348e-01;
  s = s * z * a + a;
  double c = -1.13596475577881948265e-11;
  c = c * z + 2.08757232129817482790e-09;
  c = c * z - 2.75573143513906633035e-07;
  c = c * z + 2.48015872894767294178e-05;
  c = c * z - 1.38888888888741095749e-03;
  c = c * z + 4.16666666666666019037e-02;
  c = c * z * z - 0.5 * z + 1.0;
  const bool swap = (quadrant & 1) != 0;
  const double s0 = swap ? c : s;
  const double c0 = swap ? s : c;
  sine = (quadrant & 2) != 0 ? -s0 : s0;
  cosine = ((quadrant + 1) & 2) != 0 ? -c0 : c0;
}

/// Returns the arc tangent of t in [-0.4143, 0.4143].
NFOLD_FUNCTION float small_arc_tangent(float t) {
  const float z = t * t;
  float p = 8.05374449538e-2F;
  p = fused(p, z, -1.38776856032e-1F);
  p = fused(p, z, 1.99777106478e-1F);
  p = fused(p, z, -3.33329491539e-1F);
  return fused(p * z, t, t);
}
NFOLD_FUNCTION double small_arc_tangent(double t) {
  const double z = t * t;
  double p = -8.750608600031904122785e-1;
  p = p * z - 1.615753718733365076637e1;
  p = p * z - 7.500855792314704667340e1;
  p = p * z - 1.228866684490136173410e2;
  p = p * z - 6.485021904942025371773e1;
  double q = z + 2.485846490142306297962e1;
  q = q * z + 1.650270098316988542046e2;
  q = q * z + 4.328810604912902668951e2;
  q = q * z + 4.853903996359136964868e2;
  q = q * z + 1.945506571482613964425e2;
  return t * (z * p / q) + t;
}

/// Returns the angle in [0, pi] of the vector (x, y), y >= 0, not both zero; takes one division.
template <class Real>
NFOLD_FUNCTION Real vector_angle(Real x, Real y) {
  const Real ax = x < Real(0) ? -x : x;
  const bool steep = y > ax;
  const Real small = steep ? ax : y;
  const Real large = steep ? y : ax;
  const bool upper = small > Real(0.41421356237309503) * large;
  const Real above = upper ? small - large : small;
  const Real below = upper ? small + large : large;
  const Real reduced = above * reciprocal(below);
  const Real base = small_arc_tangent(reduced) + (upper ? Real(0.78539816339744831) : Real(0));
  const Real first = steep ? Real(1.5707963267948966) - base : base;
  return x < Real(0) ? Real(3.1415926535897932) - first : first;
}

}  // namespace nfold::kernels
