// Common part of the forces of both backends: ranges, scales, pairs in double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/forces/list_length.hpp"
#include "engine/forces/local_rows.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "engine/forces/repulsive_wall.hpp"
#include "kernels/loops/pair_loop.hpp"

namespace nfold::forces {

/// Number of rows that a rank owns, and of charged ones among them.
struct OwnedRows {
  int count = 0, charged = 0;
};

template <class Precision>
class ForceBase {
 public:
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  [[nodiscard]] double short_range_nm() const { return potentials_.short_range_cutoff_nm(); }
  /// 0 without electrostatics.
  [[nodiscard]] double charge_range_nm() const {
    return potentials_.has_electrostatics() ? potentials_.electrostatic_cutoff_nm() : 0;
  }
  /// Longest cutoff.
  [[nodiscard]] double reach_nm() const { return std::max(short_range_nm(), charge_range_nm()); }
  /// Returns the potential with this screening and coulomb_kj_mol_nm = 1.
  [[nodiscard]] kernels::DebyeHueckel<double> unit_charges(double kappa_per_nm) const {
    return potentials_.unit_charges(kappa_per_nm);
  }
  [[nodiscard]] kernels::Scale<Real> scale() const { return scale_; }
  [[nodiscard]] kernels::Scale<double> exact_scale() const { return exact_scale_; }

 protected:
  explicit ForceBase(const topology::Topology& topology)
      : potentials_(topology),
        box_(topology.box),
        scale_(coordinate_scale<Precision, Real>(topology.box)),
        exact_scale_(coordinate_scale<Precision, double>(topology.box)),
        short_range_limits_(
            limits(topology.short_range.cutoff_nm,
                   [&](double force) { return wall_nm(topology.short_range, force); })),
        charge_limits_(limits(topology.electrostatics.cutoff_nm, [&](double force) {
          double largest = 0;
          for (const auto& residue : topology.residues) {
            largest = std::max(largest, std::abs(residue.charge_e));
          }
          return wall_nm(topology.electrostatics, largest, force);
        })) {}

  /// Local rows of charged residues, ascending, and the number of owned ones.
  struct ChargedRows {
    std::vector<int> rows;
    int owned = 0;
  };
  [[nodiscard]] ChargedRows charged_rows(const topology::Topology& topology,
                                         const std::vector<int>& ids, int owned) const {
    ChargedRows charged;
    if (!potentials_.has_electrostatics()) return charged;
    for (std::size_t r = 0; r < ids.size(); ++r) {
      if (topology.residues[static_cast<std::size_t>(ids[r])].charge_e == 0) continue;
      charged.rows.push_back(static_cast<int>(r));
      if (static_cast<int>(r) < owned) ++charged.owned;
    }
    return charged;
  }

  /// Reserves capacity of both lists for a longer skin. Returns true if lists must be built again.
  template <class List>
  [[nodiscard]] bool reserve_longer_lists(List& short_list, List& charge_list, double skin_nm,
                                          double longer_nm) const {
    const auto grow = [&](List& list, double range_nm) {
      return list.reserve_for_longer(list_length_ratio(range_nm + skin_nm, range_nm + longer_nm));
    };
    const bool short_is_new = grow(short_list, short_range_nm());
    const bool charge_is_new = grow(charge_list, charge_range_nm());
    return short_is_new || charge_is_new;
  }

  /// Calls visit(ExactPairs, bool is_charge).
  template <class Lists, class Visit>
  void visit_pair_kinds(const Lists& short_lists, const kernels::RowTable<Precision>& rows,
                        const Lists& charge_lists, const kernels::RowTable<Precision>& charged_rows,
                        const Visit& visit) const {
    potentials_.template with_short_range<Precision>([&](const auto& pair, const auto& exact) {
      using Pairs = kernels::ExactPairs<Precision, std::decay_t<decltype(pair)>,
                                        std::decay_t<decltype(exact)>, Lists>;
      visit(Pairs{pair, exact, short_lists, rows, scale_, exact_scale_}, false);
    });
    potentials_.template with_charges<Precision>([&](const auto& pair, const auto& exact) {
      using Pairs = kernels::ExactPairs<Precision, std::decay_t<decltype(pair)>,
                                        std::decay_t<decltype(exact)>, Lists>;
      visit(Pairs{pair, exact, charge_lists, charged_rows, scale_, exact_scale_}, true);
    });
  }

  PairPotentials potentials_;
  system::Box box_;
  kernels::Scale<Real> scale_;
  kernels::Scale<double> exact_scale_;
  kernels::PairForceLimits<Real> short_range_limits_, charge_limits_;

 private:
  /// A force component is at most F/r times the cutoff. Large products occur for near pairs only:
  /// beyond the wall none exceeds the exact range of one addition; within it F/r times the wall is
  /// the maximum.
  template <class Wall>
  static kernels::PairForceLimits<Real> limits(double cutoff_nm, const Wall& wall_of) {
    const double largest = static_cast<double>(Precision::term_limit) / std::max(1.0, cutoff_nm);
    double small = largest;
    if constexpr (Precision::has_small_products) {
      constexpr double least_share = 1 - 1e-4, wall_share = 0.95;
      const double limit = static_cast<double>(Precision::product_limit);
      const double wall_nm = wall_of(wall_share * limit * Precision::force_quantum);
      if (wall_nm > 0) small = std::min(largest, least_share * limit / wall_nm);
    }
    return {static_cast<Real>(largest), static_cast<Real>(small)};
  }
};

}  // namespace nfold::forces
