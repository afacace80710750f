// Mixed and full precision: coordinate grids and force quanta.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Counts per kJ/mol: energies are summed (exact_sum.hpp) in units of 2^-32 kJ/mol.
inline constexpr double energy_counts = 0x1p32;
/// Largest energy of one term, pair or residue [kJ/mol]. Larger energies saturate and NaN counts as
/// -energy_limit; ExactSums counts both in `saturated`.
inline constexpr double energy_limit = 0x1p18;
NFOLD_FUNCTION bool is_countable_energy(double energy) {
  return energy >= -energy_limit && energy <= energy_limit;
}
NFOLD_FUNCTION std::int64_t to_energy_counts(double energy) {
  const double low = energy >= -energy_limit ? energy : -energy_limit;
  return round_to_int64((low > energy_limit ? energy_limit : low) * energy_counts);
}

/// Limit of the total force on a residue [kJ/mol/nm], checked each step.
inline constexpr double total_force_limit = 0x1p18;

/// Mixed precision: float arithmetic on int32 coordinates, 2^32 per box length (2^-20 nm each along
/// an open axis), and int32 force quanta of 2^-12 kJ/mol/nm. Differences wrap to the nearest image.
struct Mixed {
  using Real = float;
  using Coordinate = std::int32_t;
  using Quanta = std::int32_t;  // force of one term, or a sum of at most terms_per_sum of them
  static constexpr double coordinates_per_turn = 0x1p32;
  static constexpr double force_quantum = 0x1p-12;
  static constexpr float term_limit = 0x1p26F;  // [quanta] 16,384 kJ/mol/nm per term
  static constexpr int terms_per_sum = 31;      // 31 * 2^26 < 2^31

  /// Returns a position [2^-44 turns] rounded to the coordinate grid; the upper bits wrap.
  static NFOLD_FUNCTION Coordinate coordinate(std::int64_t position) {
    return static_cast<Coordinate>(
        static_cast<std::uint32_t>((static_cast<std::uint64_t>(position) + 0x800U) >> 12U));
  }
  static NFOLD_FUNCTION Coordinate difference(Coordinate a, Coordinate b) {
    return static_cast<Coordinate>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  }
  /// Returns the offset within the box [2^-32 turns].
  static NFOLD_FUNCTION std::uint32_t fraction(Coordinate x) {
    return static_cast<std::uint32_t>(x);
  }
  /// Returns the coordinate on the grid of mixed precision.
  static NFOLD_FUNCTION std::int32_t coarse(Coordinate x) { return x; }
  /// Reinterprets the bits of a real number stored in a coordinate field, and back.
  static NFOLD_FUNCTION float from_tag(Coordinate bits) { return float_from_bits(bits); }
  static NFOLD_FUNCTION Coordinate to_tag(float x) { return to_bits(x); }
  template <class T>
  static NFOLD_FUNCTION T to_nm(Coordinate difference, T scale) {
    return static_cast<T>(difference) * scale;
  }
  /// Returns the nearest quantum, ties to even, so that f and -f give opposite counts. NaN and
  /// forces beyond term_limit saturate; the caller flags them with in_range.
  static NFOLD_FUNCTION Quanta quanta(float force) {
    return clamped_quanta(force * static_cast<float>(1 / force_quantum));
  }
  /// Returns quanta() of a force already scaled to quanta.
  static NFOLD_FUNCTION Quanta clamped_quanta(float scaled) {
    const float low = scaled > -term_limit ? scaled : -term_limit;
    return rounded(low < term_limit ? low : term_limit);
  }
  /// Rounds a force [quanta] that is within term_limit.
  static NFOLD_FUNCTION Quanta rounded(float scaled) {
#ifdef __CUDA_ARCH__
    return __float2int_rn(scaled);
#else
    return static_cast<Quanta>(__builtin_rintf(scaled));
#endif
  }
  /// Adding `magic` rounds a number below product_limit to whole quanta in its low bits.
  static constexpr float magic = 0x1.8p23F, product_limit = 0x1p22F;
  static constexpr bool has_small_products = true;
  /// Returns force over distance [quanta/nm] times a distance, in the nearest quantum: the exact
  /// product is rounded up to product_limit, the rounded product beyond it.
  static NFOLD_FUNCTION Quanta product(float force_over_distance, float distance) {
    const float plain = force_over_distance * distance;
    const bool is_small = (plain < product_limit) & (plain > -product_limit);
    return is_small ? small_product(force_over_distance, distance) : rounded(plain);
  }
  /// Returns product() for products below product_limit; undefined beyond it.
  static NFOLD_FUNCTION Quanta small_product(float force_over_distance, float distance) {
    return static_cast<Quanta>(
        static_cast<std::uint32_t>(to_bits(fused(force_over_distance, distance, magic))) -
        static_cast<std::uint32_t>(to_bits(magic)));
  }
  /// Returns product() of a force over distance [kJ/mol/nm^2] of any size, clamped to term_limit.
  static NFOLD_FUNCTION Quanta clamped_product(float force_over_distance, float distance) {
    constexpr auto in_quanta = static_cast<float>(1 / force_quantum);
    const float plain = force_over_distance * distance;
    const float limit = product_limit * static_cast<float>(force_quantum);
    const bool is_small = (plain < limit) & (plain > -limit);
    return is_small ? small_product(force_over_distance * in_quanta, distance) : quanta(plain);
  }
  static NFOLD_FUNCTION bool in_range(float force) {
    const float limit = term_limit * static_cast<float>(force_quantum);
    return force < limit && force > -limit;
  }
};

/// Full precision: double arithmetic on the exact positions (int64, 2^44 per box length) and int64
/// force quanta of 2^-32 kJ/mol/nm.
struct Full {
  using Real = double;
  using Coordinate = std::int64_t;
  using Quanta = std::int64_t;
  static constexpr double coordinates_per_turn = 0x1p44;
  static constexpr double force_quantum = 0x1p-32;
  static constexpr double term_limit = 0x1p46;  // [quanta] 16,384 kJ/mol/nm per term
  static constexpr int terms_per_sum = 1 << 16;

  static NFOLD_FUNCTION Coordinate coordinate(std::int64_t position) { return position; }
  /// Returns the difference to the nearest image. A mask does it, since AVX2 has no arithmetic
  /// shift of 64 bits.
  static NFOLD_FUNCTION Coordinate difference(Coordinate a, Coordinate b) {
    constexpr std::uint64_t half = std::uint64_t{1} << 43U;
    const std::uint64_t plain = static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
    return static_cast<Coordinate>(((plain + half) & (2 * half - 1)) - half);
  }
  static NFOLD_FUNCTION std::uint32_t fraction(Coordinate x) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) >> 12U);
  }
  static NFOLD_FUNCTION std::int32_t coarse(Coordinate x) { return Mixed::coordinate(x); }
  static NFOLD_FUNCTION double from_tag(Coordinate bits) { return double_from_bits(bits); }
  static NFOLD_FUNCTION Coordinate to_tag(double x) { return to_bits(x); }
  template <class T>
  static NFOLD_FUNCTION T to_nm(Coordinate difference, T scale) {
    return static_cast<T>(to_double(difference)) * scale;
  }
  static NFOLD_FUNCTION Quanta quanta(double force) {
    const double scaled = force * (1 / force_quantum);
    const double low = scaled > -term_limit ? scaled : -term_limit;
    return rounded(low < term_limit ? low : term_limit);
  }
  static NFOLD_FUNCTION Quanta rounded(double scaled) { return round_to_int64(scaled); }
  static constexpr bool has_small_products = false;
  static NFOLD_FUNCTION Quanta product(double force_over_distance, double distance) {
    return rounded(force_over_distance * distance);
  }
  static NFOLD_FUNCTION Quanta clamped_product(double force_over_distance, double distance) {
    return quanta(force_over_distance * distance);
  }
  static NFOLD_FUNCTION bool in_range(double force) {
    const double limit = term_limit * force_quantum;
    return force < limit && force > -limit;
  }
};

/// Limits of a pair's force over distance [quanta/nm].
template <class Real>
struct PairForceLimits {
  Real largest;  // beyond it a component might exceed Precision::term_limit
  Real small;    // up to it no component reaches product_limit (if has_small_products)
};

}  // namespace nfold::kernels
