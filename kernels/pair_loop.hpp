// Forces and energies of pairs by full neighbour lists, one lane a residue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/fixed_point.hpp"
#include "kernels/portable.hpp"
#include "kernels/views.hpp"

namespace nfold::kernels {

/// Sums a pair term over the neighbours of each owned row. Pairs beyond the cutoff and entries that
/// pad a list contribute an exact zero, so neither the skin nor the order of a list is in the bits.
/// Work item: `lanes` rows of one of the groups named in `group`.
template <class Precision, class Pair>
struct PairForceLoop {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;
  using Quanta = typename Precision::Quanta;

  Pair pair;
  RowLists list;
  const int* group;  // groups of row_group rows to work on
  Columns<const Coordinate> x;
  Columns<std::int64_t> force;       // (rows) [quanta], written
  Real largest_force_over_distance;  // beyond it a component might leave the range of a term
  int* exploded;

  NFOLD_FUNCTION void operator()(int item) const {
    constexpr int items_a_group = row_group / lanes;
    const int own_group = group[item / items_a_group];
    const int in_group = item % items_a_group * lanes;
    const int first_row = own_group * row_group + in_group;
    const Pair term = pair;
    const Coordinate *const px = x.x, *const py = x.y, *const pz = x.z;
    const int* const count = list.count + first_row;
    const int* const entry = list.entry + list.first[own_group] * row_group + in_group;
    const Real largest = largest_force_over_distance;

    int longest = 0;
    for (int lane = 0; lane < lanes; ++lane)
      longest = count[lane] > longest ? count[lane] : longest;
    std::int64_t total_x[lanes], total_y[lanes], total_z[lanes];
    for (int lane = 0; lane < lanes; ++lane) total_x[lane] = total_y[lane] = total_z[lane] = 0;
    int bad = 0;
    for (int begin = 0; begin < longest; begin += Precision::terms_per_sum) {
      const int end =
          begin + Precision::terms_per_sum < longest ? begin + Precision::terms_per_sum : longest;
      Quanta sum_x[lanes], sum_y[lanes], sum_z[lanes];
      for (int lane = 0; lane < lanes; ++lane) sum_x[lane] = sum_y[lane] = sum_z[lane] = 0;
      for (int k = begin; k < end; ++k) {
        const int* const at = entry + static_cast<std::int64_t>(k) * row_group;
        NFOLD_LANES
        for (int lane = 0; lane < lanes; ++lane) {
          const int j = at[lane];
          const int i = first_row + lane;
          const Real dx = Precision::template to_nm<Real>(Precision::difference(px[i], px[j]));
          const Real dy = Precision::template to_nm<Real>(Precision::difference(py[i], py[j]));
          const Real dz = Precision::template to_nm<Real>(Precision::difference(pz[i], pz[j]));
          const Real r2 = dx * dx + dy * dy + dz * dz;
          const bool counts = (k < count[lane]) & (r2 < term.cutoff_squared);
          const Real any = term.force_over_distance(counts ? r2 : Real(1));
          const Real f = counts ? any : Real(0);
          bad |= static_cast<int>(!(f < largest)) | static_cast<int>(!(f > -largest));
          sum_x[lane] += Precision::quanta(f * dx);
          sum_y[lane] += Precision::quanta(f * dy);
          sum_z[lane] += Precision::quanta(f * dz);
        }
      }
      for (int lane = 0; lane < lanes; ++lane) {
        total_x[lane] += sum_x[lane];
        total_y[lane] += sum_y[lane];
        total_z[lane] += sum_z[lane];
      }
    }
    for (int lane = 0; lane < lanes; ++lane) {
      force.x[first_row + lane] = total_x[lane];
      force.y[first_row + lane] = total_y[lane];
      force.z[first_row + lane] = total_z[lane];
    }
    if (bad != 0) *exploded = 1;
  }
};

/// Adds the energies of the pairs of one owned row, in double; each pair is met from both sides, so
/// the total over all ranks counts it twice. Pair: the term in double. Work item: one row.
template <class Precision, class Pair>
struct PairEnergyLoop {
  using Coordinate = typename Precision::Coordinate;
  using Real = typename Precision::Real;

  Pair pair;
  Real cutoff_squared;  // compared as the forces do
  RowLists list;
  Columns<const Coordinate> x;

  NFOLD_FUNCTION void operator()(int row, std::int64_t& sum) const {
    const int* const entry = list.entry + list.first[row / row_group] * row_group + row % row_group;
    for (int k = 0; k < list.count[row]; ++k) {
      const int j = entry[static_cast<std::int64_t>(k) * row_group];
      const auto cx = Precision::difference(x.x[row], x.x[j]);
      const auto cy = Precision::difference(x.y[row], x.y[j]);
      const auto cz = Precision::difference(x.z[row], x.z[j]);
      const Real dx = Precision::template to_nm<Real>(cx);
      const Real dy = Precision::template to_nm<Real>(cy);
      const Real dz = Precision::template to_nm<Real>(cz);
      if (!(dx * dx + dy * dy + dz * dz < cutoff_squared)) continue;
      const auto ex = Precision::template to_nm<double>(cx);
      const auto ey = Precision::template to_nm<double>(cy);
      const auto ez = Precision::template to_nm<double>(cz);
      sum += to_energy_counts(pair.energy(ex * ex + ey * ey + ez * ez));
    }
  }
};

}  // namespace nfold::kernels
