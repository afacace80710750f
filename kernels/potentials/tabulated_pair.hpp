// Tabulated pair potentials: sums of functions, expressions, and charges in any dielectric.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

// Sources of the scale s and the amplitude of a pair.
struct MixedTypes;         ///< sums of both residues' columns; single precision only
struct TypePairs;          ///< a table of pairs of types
struct TypePairsAndSites;  ///< also times the factors of both residues
struct ChargeProducts;     ///< one curve, times the product of the charges

/// Consecutive numbers of a table, which a GPU loads together and lanes of a CPU gather.
template <class Real, int count>
struct alignas(4 * sizeof(Real)) TableNumbers {
  Real at[count];

  template <class Index>
  static NFOLD_FUNCTION TableNumbers read(const Real* table, Index row) {
#ifdef __CUDA_ARCH__
    return *reinterpret_cast<const TableNumbers*>(table + row * count);
#else
    TableNumbers numbers;
    NFOLD_UNROLL
    for (int k = 0; k < count; ++k) numbers.at[k] = table[row * count + k];
    return numbers;
#endif
  }
};

/// Curves of q = s^2/r^2 with bins that divide the octaves of q evenly, so that the bits of q are
/// the bin: F/r = amplitude q^3 G(q)/r^2 in single precision, G being a cubic; U = amplitude times
/// a polynomial of degree 7 plus an offset in double, and the force its derivative. Beyond
/// largest_q the force is K/r. pair_forms::PairCurves has the tables, and the bound of their error.
/// The interface is in kernels/potentials/repulsion_12.hpp.
template <class Real, class Source>
struct TabulatedPair {
  static constexpr bool is_mixing = std::is_same_v<Source, MixedTypes>,
                        has_charges = std::is_same_v<Source, ChargeProducts>,
                        has_sites = std::is_same_v<Source, TypePairsAndSites>;
  static constexpr bool is_single = std::is_same_v<Real, float>;
  static_assert(is_single || !is_mixing);
  static constexpr PairColumns columns = is_mixing     ? PairColumns::mixing
                                         : has_charges ? PairColumns::charge
                                                       : PairColumns::kind;

  /// Parameters of a pair of types, whose halves are nearer and farther than the split. Rows of
  /// bins are stored by their bits; offsets of energies are in double only.
  enum Parameter {
    inner_scale_squared,
    outer_scale_squared,
    split_squared,
    cutoff_squared,
    inner_amplitude,
    outer_amplitude,
    inner_row,
    outer_row,
    inner_offset,
    outer_offset
  };
  static constexpr int parameters = is_single ? 8 : 12, coefficients = is_single ? 4 : 8;
  using Bin = TableNumbers<Real, coefficients>;

  const Real* pairs;         // (types, types, parameters); amplitudes: see `per_unit`
  const Real* site_factors;  // (sites + 1)
  /// (rows, bins, coefficients) G in single precision, in t from 1 to 2; the energy [kJ/mol] in
  /// double, in t from -1/2 to 1/2.
  const Real* bins;
  int types;
  int bin_shift;  // right shift of the bits of q that leaves octave and bin
  int bin_mask;   // mask of octave and bin
  Real largest_q;
  /// 1 kJ/mol/nm in the caller's force unit, in double; in single precision the amplitudes or, with
  /// mixing, G are in this unit.
  Real per_unit;
  // Mixing only; one of the cutoffs is 0.
  Real mixed_inner_amplitude, mixed_cutoff_squared, cutoff_over_scale_squared;

  struct Own {
    Real half_sigma, half_lambda, charge, site_factor;
    int first;  // offset of this type's row in the table
  };
  template <class Precision>
  NFOLD_FUNCTION Own own(const Partners<Precision>& p) const {
    Own own{};
    if constexpr (is_mixing) {
      own.half_sigma = static_cast<Real>(p.half_sigma[0]);
      own.half_lambda = static_cast<Real>(p.half_lambda[0]);
    } else if constexpr (has_charges) {
      own.charge = static_cast<Real>(p.charge[0]);
    } else {
      own.first = static_cast<int>(p.kind[0] % types_at_most) * types;
      if constexpr (has_sites) own.site_factor = site_factors[site(p.kind[0])];
    }
    return own;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION bool in_range(Real r2, const Own& own, const Partners<Precision>& p,
                                             int lane) const {
    if constexpr (is_mixing) {
      const Real s = own.half_sigma + static_cast<Real>(p.half_sigma[lane]);
      return r2 < fused(cutoff_over_scale_squared, s * s, mixed_cutoff_squared);
    } else {
      return r2 < pairs[entry(own, p, lane) * parameters + cutoff_squared];
    }
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2, const Own& own, const Partners<Precision>& p,
                                           int lane) const {
    static_assert(!is_single);
    const auto pair = TableNumbers<Real, parameters>::read(pairs, entry(own, p, lane));
    const bool inner = r2 < pair.at[split_squared];
    const Real plain = (inner ? pair.at[inner_scale_squared] : pair.at[outer_scale_squared]) / r2;
    const Real q = clamped(plain);
    const Bin bin = Bin::read(bins, place(q, (inner ? pair.at[inner_row] : pair.at[outer_row])));
    const Real t = fraction(q) - Real(1.5);
    Real curve = bin.at[7];
    NFOLD_UNROLL
    for (int k = 6; k >= 0; --k) curve = fused(curve, t, bin.at[k]);
    // Beyond largest_q the force is constant times 1/r, and 2 ln r = -ln q.
    const Real ratio = plain > q ? plain / q : Real(1);
    curve += q * slope(bin, q) * natural_log(ratio);
    return strength(own, p, lane) *
           ((inner ? pair.at[inner_amplitude] : pair.at[outer_amplitude]) * curve +
            (inner ? pair.at[inner_offset] : pair.at[outer_offset]));
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2, const Own& own,
                                                        const Partners<Precision>& p,
                                                        int lane) const {
    const Real inverse = reciprocal(r2);
    if constexpr (is_mixing) {
      const Real s = own.half_sigma + static_cast<Real>(p.half_sigma[lane]);
      const Real outer = own.half_lambda + static_cast<Real>(p.half_lambda[lane]);
      const Real q = clamped(s * s * inverse);
      const Bin bin = Bin::read(bins, exponent_and_bin(q) & bin_mask);
      return cubic(bin, fraction(q)) * (q >= Real(1) ? mixed_inner_amplitude : outer) *
             (q * q * q * inverse);
    } else {
      const auto pair = TableNumbers<Real, parameters>::read(pairs, entry(own, p, lane));
      const bool inner = r2 < pair.at[split_squared];
      const Real scale_squared =
          inner ? pair.at[inner_scale_squared] : pair.at[outer_scale_squared];
      const Real q = clamped(scale_squared * inverse);
      const Real amplitude =
          (inner ? pair.at[inner_amplitude] : pair.at[outer_amplitude]) * strength(own, p, lane);
      const Real row = inner ? pair.at[inner_row] : pair.at[outer_row];
      const Bin bin = Bin::read(bins, place(q, row));
      if constexpr (is_single) {
        return cubic(bin, fraction(q)) * amplitude * (q * q * q * inverse);
      } else {
        return slope(bin, q) * amplitude * (Real(2) * per_unit * q * inverse);
      }
    }
  }

 private:
  template <class Precision>
  static NFOLD_FUNCTION int entry(const Own& own, const Partners<Precision>& p, int lane) {
    if constexpr (has_charges) return 0;
    return own.first + static_cast<int>(p.kind[lane] & (types_at_most - 1));
  }
  /// Returns the factor of a pair that no table of types holds.
  template <class Precision>
  NFOLD_FUNCTION Real strength(const Own& own, const Partners<Precision>& p, int lane) const {
    if constexpr (has_charges) return own.charge * static_cast<Real>(p.charge[lane]);
    if constexpr (has_sites) return own.site_factor * site_factors[site(p.kind[lane])];
    return Real(1);
  }
  template <class Kind>
  static NFOLD_FUNCTION auto site(Kind kind) {
    return static_cast<std::make_unsigned_t<Kind>>(kind) / types_at_most;
  }
  [[nodiscard]] NFOLD_FUNCTION Real clamped(Real q) const {
    return q < largest_q ? q : largest_q;  // the largest for NaN
  }
  [[nodiscard]] NFOLD_FUNCTION auto exponent_and_bin(Real q) const {
    using Word = std::conditional_t<is_single, std::uint32_t, std::uint64_t>;
    return static_cast<decltype(to_bits(q))>(static_cast<Word>(to_bits(q)) >> bin_shift);
  }
  /// Returns the index of a bin in a row, whose first bin is stored by its bits.
  [[nodiscard]] NFOLD_FUNCTION auto place(Real q, Real row) const {
    return to_bits(row) + (exponent_and_bin(q) & bin_mask);
  }
  /// Returns the place within a bin, from 1 to 2: the bits below those of the bin.
  [[nodiscard]] NFOLD_FUNCTION Real fraction(Real q) const {
    if constexpr (is_single) {
      const auto bits = static_cast<std::uint32_t>(to_bits(q)) << (23 - bin_shift);
      return float_from_bits(static_cast<std::int32_t>((bits & 0x007fffffU) | 0x3f800000U));
    } else {
      const auto bits = static_cast<std::uint64_t>(to_bits(q)) << (52 - bin_shift);
      return double_from_bits(
          static_cast<std::int64_t>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U));
    }
  }
  static NFOLD_FUNCTION Real cubic(const Bin& bin, Real t) {
    return fused(fused(fused(bin.at[3], t, bin.at[2]), t, bin.at[1]), t, bin.at[0]);
  }
  /// Returns dU/dq of a row.
  [[nodiscard]] NFOLD_FUNCTION Real slope(const Bin& bin, Real q) const {
    const Real t = fraction(q) - Real(1.5);
    Real by_t = Real(7) * bin.at[7];
    NFOLD_UNROLL
    for (int k = 6; k >= 1; --k) by_t = fused(by_t, t, Real(k) * bin.at[k]);
    // A bin is 2^(octave - bins' log2) wide in q: its inverse has the exponent negated.
    const std::int64_t octave = to_bits(q) & 0x7ff0000000000000;
    return by_t * double_from_bits(0x7fe0000000000000 - octave) *
           static_cast<Real>(1 << (52 - bin_shift));
  }
};

}  // namespace nfold::kernels
