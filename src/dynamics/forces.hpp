// All forces of a step in one launch, and all energies of a report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dynamics/engine.hpp"
#include "dynamics/force_tables.hpp"
#include "dynamics/launch.hpp"
#include "dynamics/neighbour_list.hpp"
#include "kernels/pair_loop.hpp"
#include "kernels/repulsion_12.hpp"

namespace nfold::dynamics {

enum class Part { interior, border };

/// Work items of every kind, one range after another: a launch costs more than a small kind.
template <class Precision>
struct FusedForceLoop {
  using Real = typename Precision::Real;
  static constexpr int kinds = 6;

  kernels::TermForceLoop<Precision, kernels::Dihedral> dihedrals;
  kernels::TermForceLoop<Precision, kernels::Angle> angles;
  kernels::TermForceLoop<Precision, kernels::Bond> bonds;
  kernels::TermForceLoop<Precision, kernels::Contact1210> contacts_12_10;
  kernels::TermForceLoop<Precision, kernels::ContactGaussian> contacts_gaussian;
  kernels::PairForceLoop<Precision, kernels::Repulsion12<Real>> pairs;
  int last[kinds];   // running end of each kind's items
  int first[kinds];  // first item of the kind's own numbering

  KOKKOS_FUNCTION void operator()(int item) const {
    if (item < last[0]) {
      dihedrals(first[0] + item);
    } else if (item < last[1]) {
      angles(first[1] + item - last[0]);
    } else if (item < last[2]) {
      bonds(first[2] + item - last[1]);
    } else if (item < last[3]) {
      contacts_12_10(first[3] + item - last[2]);
    } else if (item < last[4]) {
      contacts_gaussian(first[4] + item - last[3]);
    } else {
      pairs(first[5] + item - last[4]);
    }
  }
};

template <class Precision>
class Forces {
 public:
  using Real = typename Precision::Real;
  using Pair = kernels::Repulsion12<Real>;

  explicit Forces(const topology::ShortRange& repulsion)
      : pair_force("pair_force"), repulsion_(repulsion) {}

  DeviceColumns<std::int64_t> pair_force;  ///< (padded rows) [quanta]

  template <class T>
  [[nodiscard]] kernels::Repulsion12<T> pair() const {
    return {static_cast<T>(repulsion_.epsilon_kj_mol),
            static_cast<T>(repulsion_.sigma_nm * repulsion_.sigma_nm),
            static_cast<T>(repulsion_.cutoff_nm * repulsion_.cutoff_nm)};
  }

  /// Writes end forces and pair forces of the items without ghosts, or of the others.
  void compute(Part part, const ForceTables<Precision>& tables,
               const NeighbourList<Precision>& list,
               kernels::Columns<const typename Precision::Coordinate> x, int* exploded) {
    using kernels::lanes;
    using kernels::row_group;
    const auto force = tables.end_force.view();
    // A component is at most F/r times the cutoff, so below this no term saturates unseen.
    const double largest = static_cast<double>(Precision::term_limit) * Precision::force_quantum /
                           std::max(1.0, repulsion_.cutoff_nm);
    FusedForceLoop<Precision> loop{tables.dihedrals.force_loop(x, force, exploded),
                                   tables.angles.force_loop(x, force, exploded),
                                   tables.bonds.force_loop(x, force, exploded),
                                   tables.contacts_12_10.force_loop(x, force, exploded),
                                   tables.contacts_gaussian.force_loop(x, force, exploded),
                                   {pair<Real>(), list.view(), list.groups(), x, pair_force.view(),
                                    static_cast<Real>(largest), exploded},
                                   {},
                                   {}};
    constexpr int items_a_group = row_group / lanes;
    const int ends[6] = {tables.dihedrals.items(),
                         tables.angles.items(),
                         tables.bonds.items(),
                         tables.contacts_12_10.items(),
                         tables.contacts_gaussian.items(),
                         list.group_count() * items_a_group};
    const int borders[6] = {tables.dihedrals.interior_items(),
                            tables.angles.interior_items(),
                            tables.bonds.interior_items(),
                            tables.contacts_12_10.interior_items(),
                            tables.contacts_gaussian.interior_items(),
                            list.interior_group_count() * items_a_group};
    int total = 0;
    for (int kind = 0; kind < 6; ++kind) {
      loop.first[kind] = part == Part::interior ? 0 : borders[kind];
      total += (part == Part::interior ? borders[kind] : ends[kind]) - loop.first[kind];
      loop.last[kind] = total;
    }
    launch("forces", total, loop);
  }

  /// This rank's share of the energies, in counts; pairs are counted from both sides.
  struct Sums {
    std::int64_t bond, angle, dihedral, contact, pair_twice;
  };
  [[nodiscard]] Sums energies(const ForceTables<Precision>& t, const NeighbourList<Precision>& list,
                              kernels::Columns<const typename Precision::Coordinate> x) const {
    return {sum_over("bond energy", t.bonds.terms(), t.bonds.energy_loop(x)),
            sum_over("angle energy", t.angles.terms(), t.angles.energy_loop(x)),
            sum_over("dihedral energy", t.dihedrals.terms(), t.dihedrals.energy_loop(x)),
            sum_over("contact energy", t.contacts_12_10.terms(), t.contacts_12_10.energy_loop(x)) +
                sum_over("contact energy", t.contacts_gaussian.terms(),
                         t.contacts_gaussian.energy_loop(x)),
            sum_over("pair energy", t.owned,
                     kernels::PairEnergyLoop<Precision, kernels::Repulsion12<double>>{
                         pair<double>(), pair<Real>().cutoff_squared, list.view(), x})};
  }

 private:
  topology::ShortRange repulsion_;
};

}  // namespace nfold::dynamics
