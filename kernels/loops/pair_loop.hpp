// Forces, energies and virials of pairs from full neighbour lists.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Lists of the selected owned rows of one potential. Entry k of selected row c is at (first[c /
/// list_group] + k) * list_group + c % list_group.
struct PairLists {
  const int* order;  // (selected) selected rows in order of processing, those without ghosts first
  const int* row;    // (selected) local row of c
  const std::int64_t* first;  // (groups + 1)
  const int* count;           // (selected)
  const int* entry;           // local rows; any valid row beyond count
  int selected;

  [[nodiscard]] NFOLD_FUNCTION const int* entries(int c) const {
    return entry + first[c / list_group] * list_group + c % list_group;
  }
  [[nodiscard]] NFOLD_FUNCTION int record_of(int c) const { return row[c]; }
  [[nodiscard]] NFOLD_FUNCTION int length(int c) const { return count[c]; }
  [[nodiscard]] NFOLD_FUNCTION int entry_at(int c, int k) const {
    return entries(c)[static_cast<std::int64_t>(k) * list_group];
  }
};

/// Sums a pair potential over the neighbours of owned rows. Pairs beyond the cutoff and padding
/// entries contribute exactly zero, so the bits depend on neither the skin nor the order of a list.
/// Work item: rows_per_item selected rows.
template <class Precision, class Pair>
struct PairForceLoop {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;
  using Quanta = typename Precision::Quanta;

  Pair pair;
  PairLists list;
  const PairRow<Precision>* rows;
  Scale<Real> scale;
  Columns<std::int64_t> force;  // (rows) [quanta], written for the selected rows
  PairForceLimits<Real> limits;
  int end;  // end of the range of `order` to process
  int* exploded;

  NFOLD_FUNCTION void operator()(int item, int first_place) const {
    const int from = first_place + item * rows_per_item;
    const int to = from + rows_per_item < end ? from + rows_per_item : end;
    for (int place = from; place < to; ++place) one_row(list.order[place]);
  }

 private:
  NFOLD_FUNCTION void one_row(int c) const {
    if constexpr (Precision::has_small_products) {
      if (sum_row<true>(c)) return;
    }
    (void)sum_row<false>(c);
  }
  /// Sums one row. is_small: use small_product, which suffices for nearly all forces. Returns false
  /// if a force is too large for it.
  template <bool is_small>
  NFOLD_FUNCTION bool sum_row(int c) const {
    const Pair term = pair;
    const Scale<Real> nm = scale;
    const int i = list.row[c];
    const int* const entry = list.entries(c);
    const int count = list.count[c];
    const PairRow<Precision> mine = rows[i];
    Partners<Precision> self;
    read_partner(mine, self);
    const auto own = term.own(self);
    const Real largest = is_small ? limits.small : limits.largest;

    std::int64_t total_x = 0, total_y = 0, total_z = 0;
    int bad = 0;
    constexpr int sum_length = Precision::terms_per_sum * pair_lanes;
    for (int begin = 0; begin < count; begin += sum_length) {
      const int last = begin + sum_length < count ? begin + sum_length : count;
      using Sum = std::make_unsigned_t<Quanta>;  // unsigned: it may wrap if a force is too large
      Sum sum_x[pair_lanes] = {}, sum_y[pair_lanes] = {}, sum_z[pair_lanes] = {};
      for (int k = begin; k < last; k += pair_lanes) {
        Partners<Precision> p;
        read_partners<Pair::columns>(rows, entry + static_cast<std::int64_t>(k) * list_group,
                                     list_group, p);
        // Two loops, so that no compiler skips the long part for lanes that do not count; their
        // force may be anything, even infinite.
        Real dx[pair_lanes], dy[pair_lanes], dz[pair_lanes], any[pair_lanes];
        int counts[pair_lanes];
        NFOLD_LANES
        for (int lane = 0; lane < pair_lanes; ++lane) {
          dx[lane] = Precision::to_nm(Precision::difference(mine.x, p.x[lane]), nm.x);
          dy[lane] = Precision::to_nm(Precision::difference(mine.y, p.y[lane]), nm.y);
          dz[lane] = Precision::to_nm(Precision::difference(mine.z, p.z[lane]), nm.z);
          const Real r2 = squared_length(dx[lane], dy[lane], dz[lane]);
          counts[lane] = static_cast<int>(k + lane < count) &
                         static_cast<int>(term.in_range(r2, own, p, lane));
          any[lane] = term.force_over_distance(r2, own, p, lane);
        }
        NFOLD_LANES
        for (int lane = 0; lane < pair_lanes; ++lane) {
          const Real f = counts[lane] != 0 ? any[lane] : Real(0);
          const Real clamped = clamped_force(f, largest, bad);
          const auto in_quanta = [clamped](Real distance) {
            if constexpr (is_small) return Precision::small_product(clamped, distance);
            return Precision::product(clamped, distance);
          };
          sum_x[lane] += static_cast<Sum>(in_quanta(dx[lane]));
          sum_y[lane] += static_cast<Sum>(in_quanta(dy[lane]));
          sum_z[lane] += static_cast<Sum>(in_quanta(dz[lane]));
        }
      }
      for (int lane = 0; lane < pair_lanes; ++lane) {
        total_x += static_cast<Quanta>(sum_x[lane]);
        total_y += static_cast<Quanta>(sum_y[lane]);
        total_z += static_cast<Quanta>(sum_z[lane]);
      }
    }
    if (is_small && bad != 0) return false;
    force.x[i] = total_x;
    force.y[i] = total_y;
    force.z[i] = total_z;
    if (bad != 0) *exploded = 1;
    return true;
  }
};

/// Visits the pairs of one row in double. Lists: PairLists or a type with the same functions.
template <class Precision, class Pair, class ExactPair, class Lists>
struct ExactPairs {
  Pair pair;  // decides what is in range, as for forces
  ExactPair exact;
  Lists list;
  RowTable<Precision> rows;
  Scale<typename Precision::Real> scale;
  Scale<double> exact_scale;

  template <class Visit>
  NFOLD_FUNCTION void for_each(int c, const Visit& visit) const {
    Partners<Precision> mine;
    rows.template read<Pair::columns>(list.record_of(c), mine);
    const auto own = pair.own(mine);
    const auto exact_own = exact.own(mine);
    const int length = list.length(c);
    for (int k = 0; k < length; ++k) {
      Partners<Precision> p;
      rows.template read<Pair::columns>(list.entry_at(c, k), p);
      const auto cx = Precision::difference(mine.x[0], p.x[0]);
      const auto cy = Precision::difference(mine.y[0], p.y[0]);
      const auto cz = Precision::difference(mine.z[0], p.z[0]);
      const auto dx = Precision::to_nm(cx, scale.x);
      const auto dy = Precision::to_nm(cy, scale.y);
      const auto dz = Precision::to_nm(cz, scale.z);
      if (!pair.in_range(squared_length(dx, dy, dz), own, p, 0)) continue;
      const double d[3] = {Precision::to_nm(cx, exact_scale.x), Precision::to_nm(cy, exact_scale.y),
                           Precision::to_nm(cz, exact_scale.z)};
      visit(d, d[0] * d[0] + d[1] * d[1] + d[2] * d[2], exact_own, p);
    }
  }
};

/// Adds the energies of the pairs of one selected row, in double. Each pair is visited from both
/// sides, so the total over all ranks counts it twice. Work item: one selected row.
template <class Pairs>
struct PairEnergyLoop {
  using Sums = ExactSums<1>;
  Pairs pairs;

  NFOLD_FUNCTION void operator()(int c, Sums& sums) const {
    pairs.for_each(c, [&](const double* /*d*/, double r2, const auto& own, const auto& p) {
      sums.add_energy(0, pairs.exact.energy(r2, own, p, 0));
    });
  }
};

/// Adds the virial of the pairs of one selected row, each from both sides: xx, yy, zz, xy, xz, yz
/// in energy counts. Work item: one selected row.
template <class Pairs>
struct PairVirialLoop {
  using Sums = ExactSums<6>;
  Pairs pairs;

  NFOLD_FUNCTION void operator()(int c, Sums& sums) const {
    pairs.for_each(c, [&](const double* d, double r2, const auto& own, const auto& p) {
      const double f = pairs.exact.force_over_distance(r2, own, p, 0);
      sums.add_energy(0, f * d[0] * d[0]);
      sums.add_energy(1, f * d[1] * d[1]);
      sums.add_energy(2, f * d[2] * d[2]);
      sums.add_energy(3, f * d[0] * d[1]);
      sums.add_energy(4, f * d[0] * d[2]);
      sums.add_energy(5, f * d[1] * d[2]);
    });
  }
};

}  // namespace nfold::kernels
