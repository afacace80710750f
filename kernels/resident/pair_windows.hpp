// Pair lists and pair forces of one replica on a CPU; vector lanes are consecutive residues.
// SPDX-License-Identifier: BSD-3-Clause
//
// A window is `pair_lanes` consecutive residues and as many residues further along the chain, pair
// by pair. Residues that follow each other are near each other, so the windows that cover all near
// pairs have few idle lanes, and they need neither gathers nor sums over lanes. Forces on both
// residues are added at once, since integers may be added in any order. Windows are ordered by
// their shift along the chain modulo `pair_lanes`, since a vector that overlaps one just stored has
// to wait for it.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "kernels/resident/resident_system.hpp"
#include "kernels/resident/scratch_parts.hpp"

#if defined(__AVX2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace nfold::kernels {

/// Length of a column, in which windows may begin at the last residue: constant, so that addresses
/// take no arithmetic.
inline constexpr int window_column = resident_residues_at_most + 32;

/// Returns the number of blocks of pair_lanes residues.
[[nodiscard]] constexpr int window_blocks(int residues) {
  return (residues + pair_lanes - 1) / pair_lanes;
}

/// Difference of two coordinates [nm]: of counts, or of floats, which are exact near the origin.
NFOLD_FUNCTION float difference_nm(std::int32_t a, std::int32_t b, float nm) {
  return Mixed::to_nm(Mixed::difference(a, b), nm);
}
NFOLD_FUNCTION float difference_nm(float a, float b, float /*nm*/) { return a - b; }

/// Columns of the residues among which a pair potential acts: all of a replica, or the charged
/// ones.
struct WindowColumns {
  float place[3][window_column];  // [nm] from a common origin
  float half_sigma[window_column], half_lambda[window_column], charge[window_column];
  std::int32_t kind[window_column];
  std::uint32_t ahead[3][window_column];   // forces on the first residues of pairs, modulo 2^32
  std::uint32_t behind[3][window_column];  // minus the forces on the second ones
  std::int32_t coordinate[3][window_column];
  std::uint32_t start[window_column];  // minus the bits of Mixed::magic in a force

  /// Reads the data of a pair potential into lane 0.
  template <PairColumns columns>
  NFOLD_FUNCTION void read(std::ptrdiff_t i, Partners<Mixed>& p) const {
    if constexpr (columns == PairColumns::charge) p.charge[0] = charge[i];
    if constexpr (columns == PairColumns::mixing || columns == PairColumns::mixing_and_kind) {
      p.half_sigma[0] = half_sigma[i];
      p.half_lambda[0] = half_lambda[i];
    }
    if constexpr (columns == PairColumns::kind || columns == PairColumns::mixing_and_kind) {
      p.kind[0] = kind[i];
    }
  }
  /// Returns the coordinates as places if they are exact, else as counts.
  template <class Coordinate>
  [[nodiscard]] NFOLD_FUNCTION auto& coordinates() {
    if constexpr (std::is_same_v<Coordinate, float>) {
      return place;
    } else {
      return coordinate;
    }
  }
  [[nodiscard]] NFOLD_FUNCTION std::uint32_t force(int axis, std::ptrdiff_t i) const {
    return ahead[axis][i] - behind[axis][i];
  }
};

/// Windows of a pair potential, and the forces of their pairs. Coordinate: float or std::int32_t,
/// see WindowColumns::coordinates().
class PairWindows {
 public:
  static constexpr int width = pair_lanes;

  void take_from(ScratchParts& parts, int at_most) {
    const std::int64_t blocks = window_blocks(at_most);
    parts.take(1, columns_);
    parts.take((blocks + 1) * at_most, kept_);
    // One more, since list_blocks() writes behind its end.
    const std::int64_t most = blocks * at_most - width * blocks * (blocks - 1) / 2 + 1;
    parts.take(most, whole_);
    parts.take(most, masked_);
  }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] WindowColumns& columns() const { return *columns_; }

  /// Begins with so many residues and no pairs.
  void clear(int count) {
    std::memset(columns_, 0, sizeof(WindowColumns));  // no NaN in lanes that do not count
    count_ = count;
    const std::ptrdiff_t size = std::ptrdiff_t{window_blocks(count) + 1} * count;
    for (std::ptrdiff_t k = 0; k < size; ++k) kept_[k] = 0;
  }
  void add_pair(int i, int j) {
    const int low = i < j ? i : j, shift = i < j ? j - i : i - j;
    kept_[std::ptrdiff_t{low / width} * count_ + shift] |=
        static_cast<std::uint8_t>(1U << static_cast<unsigned>(low % width));
  }

  /// Covers all pairs in range by windows. Returns the largest number of forces on one residue.
  template <class Coordinate>
  int list(float nm, float range_squared) {
    whole_count_ = masked_count_ = 0;
    for (int first_shift = 0; first_shift < width; ++first_shift) {
      for (int block = 0; block * width < count_; block += 2) {
        list_blocks<Coordinate>(block, first_shift, nm, range_squared);
      }
    }
    auto& c = *columns_;
    std::uint32_t *const first = c.ahead[0], *const second = c.behind[0];
    const int rows = window_blocks(count_) * width;
    for (int k = 0; k < rows + width; ++k) first[k] = second[k] = 0;
    const auto count_windows = [&](const std::uint32_t* windows, int count) {
      for (int k = 0; k < count; ++k) {
        ++first[first_of(windows[k])];
        ++second[second_of(windows[k])];
      }
    };
    count_windows(whole_, whole_count_);
    count_windows(masked_, masked_count_);
    const auto magic_bits = static_cast<std::uint32_t>(to_bits(Mixed::magic));
    std::uint32_t most = 0, behind = 0;
    for (int k = 0; k < rows + width; ++k) {
      const std::uint32_t ahead = first[k / width * width];
      behind += second[k] - (k < width ? 0U : second[k - width]);
      most = ahead + behind > most ? ahead + behind : most;
      c.start[k] = (behind - ahead) * magic_bits;
    }
    return static_cast<int>(most);
  }

  /// Computes the forces of all pairs. small: limit of the force over distance [quanta/nm]; weight:
  /// sum of the weights of larger ones. is_symmetric: both forces of a pair are always opposite.
  /// Returns false if a force is out of range.
  template <bool is_symmetric, class Coordinate, class Potential>
  bool compute_forces(const Potential& potential, float nm, float small, std::int32_t& weight) {
    const Potential term = potential;
    auto& c = *columns_;
    const int rows = (window_blocks(count_) + 1) * width;
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < rows; ++k) {
        c.ahead[axis][k] = c.start[k];
        c.behind[axis][k] = 0;
      }
    }
    std::int32_t largest[width] = {};
    const std::uint32_t *const whole = whole_, *const masked = masked_;
    const int whole_count = whole_count_, masked_count = masked_count_;
    for (int k = 0; k < whole_count; ++k) {
      add_window<is_symmetric, false, Coordinate>(term, c, nm, whole[k], largest);
    }
    for (int k = 0; k < masked_count; ++k) {
      add_window<is_symmetric, true, Coordinate>(term, c, nm, masked[k], largest);
    }
    const float range = explosion_range(term), limit = small < range ? small : range;
    bool is_small = true;
    for (const auto one : largest) is_small = is_small && one < to_bits(limit);
    return is_small || compute_large_forces<Coordinate>(potential, nm, small, weight);
  }

 private:
  // A window has the second residue of its first pair, the block of the first, and the lanes that
  // count.
  static constexpr unsigned block_shift = 12, mask_shift = 24;
  static_assert(resident_residues_at_most <= 1 << block_shift);
  static constexpr std::uint32_t all_lanes = (1U << static_cast<unsigned>(width)) - 1U;
  [[nodiscard]] static NFOLD_FUNCTION std::ptrdiff_t first_of(std::uint32_t window) {
    return static_cast<std::ptrdiff_t>(window >> block_shift & 0xfffU) * width;
  }
  [[nodiscard]] static NFOLD_FUNCTION std::ptrdiff_t second_of(std::uint32_t window) {
    return static_cast<std::ptrdiff_t>(window & 0xfffU);
  }

  /// Lists the windows of two blocks of residues with every width-th shift. Two, since a compiler
  /// unrolls shorter loops before it would vectorise them.
  template <class Coordinate>
  void list_blocks(int first_block, int first_shift, float nm, float range_squared) {
    const std::ptrdiff_t i = std::ptrdiff_t{first_block} * width;
    const auto& x = columns_->template coordinates<Coordinate>();
    int whole = whole_count_, masked = masked_count_;
    for (std::ptrdiff_t shift = first_shift; shift < count_ - i; shift += width) {
      std::int32_t near[2 * width];
      NFOLD_LANES
      for (int lane = 0; lane < 2 * width; ++lane) {
        const std::ptrdiff_t a = i + lane, b = i + shift + lane;
        const float r2 =
            squared_length(difference_nm(x[0][a], x[0][b], nm), difference_nm(x[1][a], x[1][b], nm),
                           difference_nm(x[2][a], x[2][b], nm));
        near[lane] = r2 < range_squared ? -1 : 0;
      }
      for (int k = 0; k < 2; ++k) {
        const int block = first_block + k;
        const std::uint32_t kept = kept_[std::ptrdiff_t{block} * count_ + shift];
        const bool is_listed = (lane_bits(near + k * width) & kept) != 0;
        const bool is_whole = kept == all_lanes;
        // Without branches, which would be mispredicted.
        whole_[whole] = masked_[masked] = static_cast<std::uint32_t>(block * width + shift) |
                                          static_cast<std::uint32_t>(block) << block_shift |
                                          kept << mask_shift;
        whole += static_cast<int>(is_listed && is_whole);
        masked += static_cast<int>(is_listed && !is_whole);
      }
    }
    whole_count_ = whole;
    masked_count_ = masked;
  }
  [[nodiscard]] static std::uint32_t lane_bits(const std::int32_t* near) {
#if defined(__AVX2__) && !defined(__CUDACC__)
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(near));
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
#else
    std::uint32_t bits = 0;
    for (int lane = 0; lane < width; ++lane) {
      bits |= static_cast<std::uint32_t>(near[lane] & 1) << static_cast<unsigned>(lane);
    }
    return bits;
#endif
  }

  template <bool is_symmetric, bool is_masked, class Coordinate, class Potential>
  static NFOLD_FUNCTION void add_window(const Potential& potential, WindowColumns& c, float nm,
                                        std::uint32_t window, std::int32_t* largest) {
    const std::ptrdiff_t i = first_of(window), j = second_of(window);
    const auto& x = c.coordinates<Coordinate>();
    NFOLD_LANES
    for (int lane = 0; lane < width; ++lane) {
      float d[3];
      NFOLD_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = difference_nm(x[axis][i + lane], x[axis][j + lane], nm);
      }
      const float r2 = squared_length(d);
      Partners<Mixed> a, b;
      c.read<Potential::columns>(i + lane, a);
      c.read<Potential::columns>(j + lane, b);
      const auto own = potential.own(a);
      // A mask of bits, since a compiler might skip the rest for lanes without a force.
      std::int32_t mask = potential.in_range(r2, own, b, 0) ? -1 : 0;
      if constexpr (is_masked) {
        mask &= (window & (1U << (mask_shift + static_cast<unsigned>(lane)))) != 0 ? -1 : 0;
      }
      const float on_mine =
          masked(potential.force_over_distance(r2, own, b, 0), mask, largest[lane]);
      float on_other = on_mine;
      if constexpr (!is_symmetric) {
        on_other =
            masked(potential.force_over_distance(r2, potential.own(b), a, 0), mask, largest[lane]);
      }
      NFOLD_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        c.ahead[axis][i + lane] += rounded_bits(on_mine, d[axis]);
        c.behind[axis][j + lane] += rounded_bits(on_other, d[axis]);
      }
    }
  }
  /// Returns Mixed::small_product() and the bits of Mixed::magic.
  [[nodiscard]] static NFOLD_FUNCTION std::uint32_t rounded_bits(float force, float distance) {
    return static_cast<std::uint32_t>(to_bits(fused(force, distance, Mixed::magic)));
  }
  /// Returns x, or 0 if no bits of the mask are set. Compares the bits of sizes, which grow with
  /// the number and are largest for a NaN.
  [[nodiscard]] static NFOLD_FUNCTION float masked(float x, std::int32_t mask,
                                                   std::int32_t& largest) {
    const std::int32_t bits = to_bits(x) & mask, size = bits & 0x7fffffff;
    largest = size > largest ? size : largest;
    return float_from_bits(bits);
  }

  /// Computes the forces pair by pair, if some exceed `small`.
  template <class Coordinate, class Potential>
  bool compute_large_forces(const Potential& potential, float nm, float small,
                            std::int32_t& weight) {
    auto& c = *columns_;
    const auto& x = c.coordinates<Coordinate>();
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < window_column; ++k) c.ahead[axis][k] = c.behind[axis][k] = 0;
    }
    const float range = explosion_range(potential);
    bool is_in_range = true;
    const auto add = [&](std::uint32_t window) {
      for (int lane = 0; lane < width; ++lane) {
        if ((window >> (mask_shift + static_cast<unsigned>(lane)) & 1U) == 0) continue;
        const std::ptrdiff_t i = first_of(window) + lane, j = second_of(window) + lane;
        float d[3];
        for (int axis = 0; axis < 3; ++axis) d[axis] = difference_nm(x[axis][i], x[axis][j], nm);
        const float r2 = squared_length(d);
        Partners<Mixed> a, b;
        c.read<Potential::columns>(i, a);
        c.read<Potential::columns>(j, b);
        if (!potential.in_range(r2, potential.own(a), b, 0)) continue;
        const float on_mine = potential.force_over_distance(r2, potential.own(a), b, 0);
        const float on_other = potential.force_over_distance(r2, potential.own(b), a, 0);
        const auto one = WidePairForce::of(on_mine, d[0], d[1], d[2], range);
        const auto opposite = WidePairForce::of(on_other, d[0], d[1], d[2], range);
        for (int axis = 0; axis < 3; ++axis) {
          c.ahead[axis][i] += static_cast<std::uint32_t>(one.quanta[axis]);
          c.behind[axis][j] += static_cast<std::uint32_t>(opposite.quanta[axis]);
        }
        const float size = Kokkos::abs(on_mine), other_size = Kokkos::abs(on_other);
        is_in_range = is_in_range && one.bad == 0 && opposite.bad == 0;
        if (!(size < small && other_size < small)) weight += one.weight;
      }
    };
    for (int k = 0; k < whole_count_; ++k) add(whole_[k]);
    for (int k = 0; k < masked_count_; ++k) add(masked_[k]);
    return is_in_range;
  }

  int count_ = 0, whole_count_ = 0, masked_count_ = 0;
  WindowColumns* columns_ = nullptr;
  std::uint8_t* kept_ = nullptr;  // (blocks, count) by shift: lanes whose pair counts
  std::uint32_t *whole_ = nullptr, *masked_ = nullptr;  // windows whose lanes all count, and others
};

}  // namespace nfold::kernels
