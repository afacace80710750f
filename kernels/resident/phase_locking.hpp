// Pseudo-dihedral phases of a chain, and sums of their products over replicas.
// SPDX-License-Identifier: BSD-3-Clause
//
// z = exp(i theta) is computed from cross products alone, like cosine and sine in
// kernels/potentials/dihedral.hpp. Its parts are rounded to multiples of 2^-16, so products are
// exact integers and the sum of 2^30 of them fits 64 bits in any order. The rounding, at most 8e-6,
// is up or down by chance.
#pragma once

#include "kernels/resident/replica_positions.hpp"

namespace nfold::kernels {

inline constexpr std::int32_t phase_counts = 1 << 16;  // counts of a phase's full length

/// Computes z of the dihedral of residues i - 1 to i + 2, IUPAC sign, d: (3, 3) bond vectors [nm].
/// Returns false, and z = 0, if three of them are nearly collinear (sine of an angle below 10^-3).
NFOLD_FUNCTION bool compute_phase(const double* d, std::int32_t& cosine, std::int32_t& sine) {
  double n1[3], n2[3];
  cross_product(d, d + 3, n1);
  cross_product(d + 3, d + 6, n2);
  const double a = squared_length(n1), b = squared_length(n2);
  const double middle = squared_length(d + 3);
  constexpr double least = 1e-6;
  const bool defined =
      a > least * squared_length(d) * middle && b > least * squared_length(d + 6) * middle;
  const double scale = phase_counts / Kokkos::sqrt(a * b);
  const double c = inner_product(n1, n2) * scale;
  const double s = Kokkos::sqrt(middle) * inner_product(d, n2) * scale;
  cosine = defined ? static_cast<std::int32_t>(round_to_int64(c)) : 0;
  sine = defined ? static_cast<std::int32_t>(round_to_int64(s)) : 0;
  return defined;
}

/// Phases of the sampled replicas. The last phase of a row is always 1, so that products with it
/// are sums of phases.
struct PhaseRows {
  int phases;                   // including that last one
  int row;                      // stride between replicas, padded
  std::int32_t *cosine, *sine;  // (slots, row); 0 beyond phases
};

/// Computes phases. Work item: some replicas of one phase.
struct ComputePhases {
  ReplicaPositions replicas;
  const std::int32_t* residue;  // (phases - 1) second of the four residues
  const std::int32_t* slot;     // (replicas) row of each; -1: not sampled
  const std::int32_t* table;    // (replicas) table whose counts it adds to
  int shares;
  PhaseRows rows;
  std::int64_t* undefined;  // (tables, phases - 1)

  NFOLD_FUNCTION void operator()(int item) const {
    const int p = item / shares;
    for (int r = item % shares; r < replicas.replicas; r += shares) {
      if (slot[r] < 0) continue;
      const std::int64_t first = static_cast<std::int64_t>(slot[r]) * rows.row;
      const ReplicaRow row = replicas.row(r);
      double d[9];
      const int second = residue[p];
      row.difference(second, second - 1, d);
      row.difference(second + 1, second, d + 3);
      row.difference(second + 2, second + 1, d + 6);
      if (!compute_phase(d, rows.cosine[first + p], rows.sine[first + p])) {
        add_count(undefined + static_cast<std::int64_t>(table[r]) * (rows.phases - 1) + p, 1);
      }
      if (p == 0) rows.cosine[first + rows.phases - 1] = phase_counts;
    }
  }
};

/// Rows first .. first + count - 1, all of replicas of one table.
struct PhaseTask {
  std::int32_t table, first, count;
};
/// Sums over samples of the pair (i, j), i <= j, in counts squared.
struct PhaseSum {
  enum Place { cos_cos, sin_sin, cos_sin, sin_cos, count };
};
/// Returns the index of a pair in an upper triangle, row by row.
[[nodiscard]] NFOLD_FUNCTION constexpr std::int64_t phase_pair_index(std::int64_t i, std::int64_t j,
                                                                     std::int64_t phases) {
  return i * phases - i * (i - 1) / 2 + (j - i);
}

/// Sums phase products. Work item: one phase with `lanes` others, over some tasks; consecutive
/// items are consecutive phases.
struct SumPhaseProducts {
  PhaseRows rows;
  const PhaseTask* task;
  int tasks, shares;
  int first, last;    // range of rows of the triangle kept here; last is exclusive
  std::int64_t* sum;  // (tables, PhaseSum::count, pairs of these rows)

  [[nodiscard]] NFOLD_FUNCTION int owners() const { return (last - first) * (rows.row / lanes); }
  NFOLD_FUNCTION void operator()(int item) const {
    const int owner = item % owners();
    const int blocks = rows.row / lanes;
    const int i = first + owner / blocks;
    const int first_j = owner % blocks * lanes;
    if (first_j + lanes <= i || first_j >= rows.phases) return;
    for (int t = item / owners(); t < tasks; t += shares) add(task[t], i, first_j);
  }

 private:
  NFOLD_FUNCTION void add(const PhaseTask& own, int i, int first_j) const {
    std::int64_t cc[lanes] = {}, ss[lanes] = {}, cs[lanes] = {}, sc[lanes] = {};
    for (std::int64_t s = own.first; s < own.first + own.count; ++s) {
      const std::int64_t c = rows.cosine[s * rows.row + i];
      const std::int64_t z = rows.sine[s * rows.row + i];
      const std::int32_t* const cj = rows.cosine + s * rows.row + first_j;
      const std::int32_t* const sj = rows.sine + s * rows.row + first_j;
      NFOLD_LANES
      for (int lane = 0; lane < lanes; ++lane) {
        cc[lane] += c * cj[lane];
        ss[lane] += z * sj[lane];
        cs[lane] += c * sj[lane];
        sc[lane] += z * cj[lane];
      }
    }
    const std::int64_t before = phase_pair_index(first, first, rows.phases);
    const std::int64_t pairs = phase_pair_index(last, last, rows.phases) - before;
    std::int64_t* const to = sum + static_cast<std::int64_t>(own.table) * PhaseSum::count * pairs;
    for (int lane = 0; lane < lanes; ++lane) {
      const int j = first_j + lane;
      if (j < i || j >= rows.phases) continue;
      std::int64_t* const at = to + phase_pair_index(i, j, rows.phases) - before;
      add_count(at + PhaseSum::cos_cos * pairs, cc[lane]);
      add_count(at + PhaseSum::sin_sin * pairs, ss[lane]);
      add_count(at + PhaseSum::cos_sin * pairs, cs[lane]);
      add_count(at + PhaseSum::sin_cos * pairs, sc[lane]);
    }
  }
};

}  // namespace nfold::kernels
