// Steps of the FIRE minimiser.
// SPDX-License-Identifier: BSD-3-Clause
//
// Bitzek, Koskinen, Gaehler, Moseler, Gumbsch, Phys. Rev. Lett. 97, 170201 (2006). All residues
// have mass 1: the path does not matter, and stiff bonds then limit the step equally.
#pragma once

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Limit to which each component of a residue's force is clamped [kJ/mol/nm].
inline constexpr double minimiser_force_limit = 0x1p14;
/// Counts per unit of the sums.
inline constexpr double minimiser_counts = 0x1p8;

NFOLD_FUNCTION double clamped(double x, double limit) {
  const double low = x > -limit ? x : -limit;  // NaN becomes -limit
  return low < limit ? low : limit;
}

/// Sums F.v, F.F and v.v. Work item: one owned row.
struct MinimiserSums {
  using Sums = ExactSums<3>;
  Columns<const std::int64_t> force;  // (rows) [quanta]
  Columns<const double> velocity;
  double quantum;

  NFOLD_FUNCTION void operator()(int row, Sums& sums) const {
    const double f[3] = {clamped(to_double(force.x[row]) * quantum, minimiser_force_limit),
                         clamped(to_double(force.y[row]) * quantum, minimiser_force_limit),
                         clamped(to_double(force.z[row]) * quantum, minimiser_force_limit)};
    const double v[3] = {velocity.x[row], velocity.y[row], velocity.z[row]};
    sums.sum[0] += counts(f[0] * v[0] + f[1] * v[1] + f[2] * v[2]);
    sums.sum[1] += counts(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    sums.sum[2] += counts(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }

 private:
  static NFOLD_FUNCTION std::int64_t counts(double x) {
    return round_to_int64(clamped(x, 0x1p40) * minimiser_counts);
  }
};

/// Largest component of the force [quanta]. Work item: one owned row.
struct LargestForce {
  Columns<const std::int64_t> force;
  NFOLD_FUNCTION void operator()(int row, std::int64_t& largest) const {
    const std::int64_t c[3] = {force.x[row], force.y[row], force.z[row]};
    for (const std::int64_t component : c) {
      const std::int64_t size = component < 0 ? -component : component;
      largest = size > largest ? size : largest;
    }
  }
};

/// Moves a residue: v = keep v + pull F, then v += step F, then x += step v, with each component
/// limited. Work item: one owned row.
template <class Precision>
struct MinimiserWalk {
  using Coordinate = typename Precision::Coordinate;
  Columns<const std::int64_t> force;  // (rows) [quanta]
  double quantum;
  double keep, pull, step;
  double counts_per_nm[3];
  double longest_nm;  // longest move of one residue along an axis
  Columns<double> velocity;
  Columns<std::int64_t> position;
  Columns<Coordinate> coordinate;
  PairRecords<Precision> records;

  NFOLD_FUNCTION void operator()(int row) const {
    const Coordinate x = axis<0>(row, force.x, velocity.x, position.x, coordinate.x);
    const Coordinate y = axis<1>(row, force.y, velocity.y, position.y, coordinate.y);
    const Coordinate z = axis<2>(row, force.z, velocity.z, position.z, coordinate.z);
    records.put(row, x, y, z);
  }

 private:
  template <int which>
  NFOLD_FUNCTION Coordinate axis(int row, const std::int64_t* f, double* v, std::int64_t* p,
                                 Coordinate* c) const {
    const double own = clamped(to_double(f[row]) * quantum, minimiser_force_limit);
    const double u = clamped(keep * v[row] + pull * own + step * own, longest_nm / step);
    v[row] = u;
    p[row] += round_to_int64(u * step * counts_per_nm[which]);
    c[row] = Precision::coordinate(p[row]);
    return c[row];
  }
};

}  // namespace nfold::kernels
