// Total force on a residue: the sum of pair forces and term forces.
// SPDX-License-Identifier: BSD-3-Clause
//
// On a GPU, a thread gathers one row, to which terms have been added by atomic additions. On a CPU,
// a work item gathers `lanes` rows, with the forces of the ends of their terms.
#pragma once

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// Force of a GPU's pair loops on one residue [quanta]; read in one load.
template <class Precision>
struct alignas(4 * sizeof(typename Precision::Quanta)) ForceRow {
  typename Precision::Quanta x, y, z, unused;
};

#ifdef KOKKOS_ENABLE_CUDA
/// Pair forces by row, so that a load need not wait for an index. Forces of charge pairs by the
/// index of a row among the charged rows, its charged slot.
template <class Precision>
struct PairForces {
  const ForceRow<Precision>*pair, *charge;
  const int* charged_slot;  // (rows); -1: neutral
  NFOLD_FUNCTION void read(int row, int slot, std::int64_t& x, std::int64_t& y,
                           std::int64_t& z) const {
    const ForceRow<Precision> f = pair[row];
    x = f.x;
    y = f.y;
    z = f.z;
    if (slot < 0) return;
    const ForceRow<Precision> q = charge[slot];
    x += q.x;
    y += q.y;
    z += q.z;
  }
};
/// Term forces, added to the totals of the owned rows.
template <class Precision>
struct TermForces {
  using Quanta = typename Precision::Quanta;
  Columns<std::int64_t> total;  // (owned rows) [quanta]
  int owned;
  NFOLD_FUNCTION void add(int row, Quanta x, Quanta y, Quanta z) const {
    if (row >= owned) return;
    Kokkos::atomic_add(&total.x[row], static_cast<std::int64_t>(x));
    Kokkos::atomic_add(&total.y[row], static_cast<std::int64_t>(y));
    Kokkos::atomic_add(&total.z[row], static_cast<std::int64_t>(z));
  }
};
/// Total force on each owned row [quanta]: the sum of its pairs and its terms.
template <class Precision>
struct GatheredForce {
  Columns<std::int64_t> terms;  // (rows)
  PairForces<Precision> pairs;
  bool has_terms;
  bool clears;  // zeroes the term forces for the next step

  NFOLD_FUNCTION void operator()(int row, std::int64_t* fx, std::int64_t* fy,
                                 std::int64_t* fz) const {
    (*this)(row, pairs.charged_slot[row], *fx, *fy, *fz);
  }
  /// Gathers a row with a known charged slot.
  NFOLD_FUNCTION void operator()(int row, int charged_slot, std::int64_t& fx, std::int64_t& fy,
                                 std::int64_t& fz) const {
    pairs.read(row, charged_slot, fx, fy, fz);
    if (!has_terms) return;
    fx += terms.x[row];
    fy += terms.y[row];
    fz += terms.z[row];
    if (!clears) return;
    terms.x[row] = 0;
    terms.y[row] = 0;
    terms.z[row] = 0;
  }
};
#else
/// Pair forces by row.
template <class Precision>
struct PairForces {
  Columns<const std::int64_t> pair, charge;  // (rows) [quanta]
  NFOLD_FUNCTION void read(int row, std::int64_t& x, std::int64_t& y, std::int64_t& z) const {
    x = pair.x[row] + charge.x[row];
    y = pair.y[row] + charge.y[row];
    z = pair.z[row] + charge.z[row];
  }
};
/// Term forces, one entry per end of a term.
template <class Precision>
using TermForces = Columns<typename Precision::Quanta>;

/// Total force on each owned row [quanta]: the sum of its pairs and the ends of its terms.
template <class Precision>
struct GatheredForce {
  using Quanta = typename Precision::Quanta;
  RowLists ends;                    // indices of the term ends of each row; the force of 0 is zero
  Columns<const Quanta> end_force;  // (ends of all terms)
  PairForces<Precision> pairs;

  /// Gathers the `lanes` rows from first_row on.
  NFOLD_FUNCTION void operator()(int first_row, std::int64_t* fx, std::int64_t* fy,
                                 std::int64_t* fz) const {
    const auto from_pairs = pairs;
    for (int lane = 0; lane < lanes; ++lane) {
      from_pairs.read(first_row + lane, fx[lane], fy[lane], fz[lane]);
    }
    const int group = first_row / row_group;
    const int* const entry = ends.entry + ends.first[group] * row_group + first_row % row_group;
    const auto length = static_cast<int>(ends.first[group + 1] - ends.first[group]);
    const Quanta *const ex = end_force.x, *const ey = end_force.y, *const ez = end_force.z;
    for (int k = 0; k < length; ++k) {
      NFOLD_LANES
      for (int lane = 0; lane < lanes; ++lane) {
        const int end = entry[static_cast<std::int64_t>(k) * row_group + lane];
        fx[lane] += ex[end];
        fy[lane] += ey[end];
        fz[lane] += ez[end];
      }
    }
  }
};
#endif

}  // namespace nfold::kernels
