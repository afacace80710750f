// All forces of a step in one launch; all energies and virials of a report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "dynamics/engine.hpp"
#include "dynamics/force_tables.hpp"
#include "dynamics/launch.hpp"
#include "dynamics/neighbour_list.hpp"
#include "dynamics/pair_potentials.hpp"
#include "kernels/pair_loop.hpp"

namespace nfold::dynamics {

enum class Part { interior, border };

/// Work items of every kind, one range after another: a launch costs more than a small kind.
template <class Precision, class Pair>
struct FusedForceLoop {
  using Real = typename Precision::Real;
  enum Kind { dihedral, angle, bond, restraint, contact_12_10, gaussian, short_range, charge };
  static constexpr int kinds = 8;

  kernels::TermForceLoop<Precision, kernels::Dihedral> dihedrals;
  kernels::TermForceLoop<Precision, kernels::Angle> angles;
  kernels::TermForceLoop<Precision, kernels::Bond> bonds, restraints;
  kernels::TermForceLoop<Precision, kernels::Contact1210> contacts_12_10;
  kernels::TermForceLoop<Precision, kernels::ContactGaussian> contacts_gaussian;
  kernels::PairForceLoop<Precision, Pair> pairs;
  kernels::PairForceLoop<Precision, kernels::DebyeHueckel<Real>> charges;
  int last[kinds];   // running end of each kind's items
  int first[kinds];  // first item of the kind's own numbering; of pairs, the first place

  KOKKOS_FUNCTION void operator()(int item) const {
    if (item < last[dihedral]) {
      dihedrals(first[dihedral] + item);
    } else if (item < last[angle]) {
      angles(first[angle] + item - last[dihedral]);
    } else if (item < last[bond]) {
      bonds(first[bond] + item - last[angle]);
    } else if (item < last[restraint]) {
      restraints(first[restraint] + item - last[bond]);
    } else if (item < last[contact_12_10]) {
      contacts_12_10(first[contact_12_10] + item - last[restraint]);
    } else if (item < last[gaussian]) {
      contacts_gaussian(first[gaussian] + item - last[contact_12_10]);
    } else if (item < last[short_range]) {
      pairs(item - last[gaussian], first[short_range]);
    } else {
      charges(item - last[short_range], first[charge]);
    }
  }
};

template <class Precision>
class Forces {
 public:
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  explicit Forces(const topology::Topology& topology)
      : potentials_(topology),
        box_(topology.box),
        scale_(scale_of<Precision, Real>(topology.box)),
        exact_scale_(scale_of<Precision, double>(topology.box)) {}

  DeviceColumns<std::int64_t> pair_force{"pair_force"};      ///< (padded rows) [quanta]
  DeviceColumns<std::int64_t> charge_force{"charge_force"};  ///< (padded rows) 0 where neutral

  /// Takes the local rows, owned first; room for padded rows is kept.
  void set_rows(const topology::Topology& topology, const std::vector<int>& ids, int owned,
                std::int64_t room) {
    std::vector<kernels::PairRow<Precision>> rows(static_cast<std::size_t>(room));
    std::vector<int> all, charged;
    all.reserve(ids.size());
    int charged_owned = 0;
    for (std::size_t r = 0; r < ids.size(); ++r) {
      const auto& residue = topology.residues[static_cast<std::size_t>(ids[r])];
      fill_row(topology.short_range, residue, rows[r]);
      all.push_back(static_cast<int>(r));
      if (!potentials_.has_electrostatics() || residue.charge_e == 0) continue;
      charged.push_back(static_cast<int>(r));
      if (static_cast<int>(r) < owned) ++charged_owned;
    }
    rows_.upload(rows);
    pair_force.reserve(kernels::padded(owned));
    charge_force.reserve(kernels::padded(owned));
    short_list_.select(std::move(all), owned);
    charge_list_.select(std::move(charged), charged_owned);
  }
  /// After the owned rows changed: nothing of another residue stays behind.
  void clear() {
    pair_force.fill(0);
    charge_force.fill(0);
  }

  void build_lists(const LocalRows<Precision>& rows, double skin_nm) {
    short_list_.build(rows, box_, potentials_.short_range_cutoff_nm() + skin_nm);
    charge_list_.build(rows, box_, potentials_.electrostatic_cutoff_nm() + skin_nm);
  }
  [[nodiscard]] double short_range_nm() const { return potentials_.short_range_cutoff_nm(); }
  /// 0 without electrostatics.
  [[nodiscard]] double charge_range_nm() const {
    return potentials_.has_electrostatics() ? potentials_.electrostatic_cutoff_nm() : 0;
  }
  /// Longest cutoff.
  [[nodiscard]] double reach_nm() const { return std::max(short_range_nm(), charge_range_nm()); }

  /// Writes end forces and pair forces of the items without ghosts, or of the others.
  void compute(Part part, const ForceTables<Precision>& tables,
               kernels::Columns<const Coordinate> x, int* exploded) {
    potentials_.template with_short_range<Real>([&](const auto& pair, const auto& /*exact*/) {
      launch_forces(part, pair, tables, x, exploded);
    });
  }

  /// This rank's share of the energies, in counts; pairs are counted from both sides.
  struct Sums {
    std::int64_t bond, angle, dihedral, restraint, contact, short_range_twice, charge_twice;
  };
  [[nodiscard]] Sums energies(const ForceTables<Precision>& t,
                              kernels::Columns<const Coordinate> x) const {
    const auto sum = [&](const char* label, const auto& set) {
      return sum_over(label, set.terms(), set.energy_loop(x, exact_scale_));
    };
    Sums sums{sum("bond energy", t.bonds),
              sum("angle energy", t.angles),
              sum("dihedral energy", t.dihedrals),
              sum("restraint energy", t.restraints),
              sum("contact energy", t.contacts_12_10) + sum("contact energy", t.contacts_gaussian),
              0,
              0};
    for_each_pair_kind([&](const auto& pairs, bool charges) {
      using Pairs = std::decay_t<decltype(pairs)>;
      (charges ? sums.charge_twice : sums.short_range_twice) =
          sum_over("pair energy", pairs.list.selected, EnergyLoop<Pairs>{pairs});
    });
    return sums;
  }

  /// This rank's share of the virial, twice, in counts: xx, yy, zz, xy, xz, yz.
  [[nodiscard]] std::array<std::int64_t, 6> virial_twice(
      const ForceTables<Precision>& t, kernels::Columns<const Coordinate> x) const {
    std::array<std::int64_t, 6> total{};
    const auto add = [&](int items, const auto& loop, int weight) {
      std::array<std::int64_t, 6> s{};
      if (items > 0) {
        Kokkos::parallel_reduce("virial", Kokkos::RangePolicy<Space>(0, items), loop, s[0], s[1],
                                s[2], s[3], s[4], s[5]);
      }
      for (std::size_t k = 0; k < 6; ++k) total[k] += weight * s[k];
    };
    const auto add_terms = [&](const auto& set) {
      add(set.terms(), set.virial_loop(x, exact_scale_), 2);
    };
    add_terms(t.bonds);
    add_terms(t.angles);
    add_terms(t.dihedrals);
    add_terms(t.restraints);
    add_terms(t.contacts_12_10);
    add_terms(t.contacts_gaussian);
    for_each_pair_kind([&](const auto& pairs, bool /*charges*/) {
      using Pairs = std::decay_t<decltype(pairs)>;
      add(pairs.list.selected, VirialLoop<Pairs>{pairs}, 1);
    });
    return total;
  }

  [[nodiscard]] kernels::PairRow<Precision>* rows() const { return rows_.data(); }
  [[nodiscard]] kernels::Scale<Real> scale() const { return scale_; }
  [[nodiscard]] std::int64_t list_entries() const {
    return short_list_.entries() + charge_list_.entries();
  }
  [[nodiscard]] std::int64_t bytes() const {
    return short_list_.bytes() + charge_list_.bytes() + rows_.bytes() + pair_force.bytes() +
           charge_force.bytes();
  }

 private:
  template <class Pairs>
  struct LoopOf;
  template <class P, class Pair, class Exact>
  struct LoopOf<kernels::ExactPairs<P, Pair, Exact>> {
    using Energy = kernels::PairEnergyLoop<P, Pair, Exact>;
    using Virial = kernels::PairVirialLoop<P, Pair, Exact>;
  };
  template <class Pairs>
  using EnergyLoop = typename LoopOf<Pairs>::Energy;
  template <class Pairs>
  using VirialLoop = typename LoopOf<Pairs>::Virial;

  static void fill_row(const topology::ShortRange& table, const topology::Residue& residue,
                       kernels::PairRow<Precision>& row) {
    const auto type = static_cast<std::size_t>(residue.type);
    row.charge = static_cast<Real>(residue.charge_e);
    if (table.form == topology::ShortRangeForm::ashbaugh_hatch) {
      row.half_sigma = static_cast<Real>(0.5 * table.type_sigma_nm.at(type));
      row.half_lambda = static_cast<Real>(0.5 * table.type_lambda.at(type));
    }
    row.kind = residue.type + kernels::types_at_most * (residue.domain + 1);
  }

  template <class Visit>
  void for_each_pair_kind(const Visit& visit) const {
    potentials_.template with_short_range<Real>([&](const auto& pair, const auto& exact) {
      visit(kernels::ExactPairs<Precision, std::decay_t<decltype(pair)>,
                                std::decay_t<decltype(exact)>>{pair, exact, short_list_.view(),
                                                               rows_.data(), scale_, exact_scale_},
            false);
    });
    visit(
        kernels::ExactPairs<Precision, kernels::DebyeHueckel<Real>, kernels::DebyeHueckel<double>>{
            potentials_.electrostatics<Real>(), potentials_.electrostatics<double>(),
            charge_list_.view(), rows_.data(), scale_, exact_scale_},
        true);
  }

  /// A component is at most F/r times the cutoff, so below this no term saturates unseen.
  static Real largest(double cutoff_nm) {
    return static_cast<Real>(static_cast<double>(Precision::term_limit) * Precision::force_quantum /
                             std::max(1.0, cutoff_nm));
  }

  template <class Pair>
  void launch_forces(Part part, const Pair& pair, const ForceTables<Precision>& t,
                     kernels::Columns<const Coordinate> x, int* exploded) {
    using Loop = FusedForceLoop<Precision, Pair>;
    const auto force = t.end_force.view();
    const bool inside = part == Part::interior;
    const auto terms = [&](const auto& set) { return set.force_loop(x, scale_, force, exploded); };
    const auto end = [&](const auto& list) { return inside ? list.interior() : list.selected(); };
    Loop loop{terms(t.dihedrals),
              terms(t.angles),
              terms(t.bonds),
              terms(t.restraints),
              terms(t.contacts_12_10),
              terms(t.contacts_gaussian),
              {pair, short_list_.view(), rows_.data(), scale_, pair_force.view(),
               largest(potentials_.short_range_cutoff_nm()), end(short_list_), exploded},
              {potentials_.electrostatics<Real>(), charge_list_.view(), rows_.data(), scale_,
               charge_force.view(), largest(potentials_.electrostatic_cutoff_nm()),
               end(charge_list_), exploded},
              {},
              {}};
    int total = 0, kind = 0;
    const auto add_terms = [&](const auto& set) {
      loop.first[kind] = inside ? 0 : set.interior_items();
      total += (inside ? set.interior_items() : set.items()) - loop.first[kind];
      loop.last[kind++] = total;
    };
    add_terms(t.dihedrals);
    add_terms(t.angles);
    add_terms(t.bonds);
    add_terms(t.restraints);
    add_terms(t.contacts_12_10);
    add_terms(t.contacts_gaussian);
    const auto add_pairs = [&](const auto& list) {
      loop.first[kind] = inside ? 0 : list.interior();
      const int rows = end(list) - loop.first[kind];
      total += (rows + kernels::rows_an_item - 1) / kernels::rows_an_item;
      loop.last[kind++] = total;
    };
    add_pairs(short_list_);
    add_pairs(charge_list_);
    launch("forces", total, loop);
  }

  PairPotentials potentials_;
  topology::Box box_;
  kernels::Scale<Real> scale_;
  kernels::Scale<double> exact_scale_;
  DeviceArray<kernels::PairRow<Precision>> rows_{"pair_row"};
  NeighbourList<Precision> short_list_, charge_list_;
};

}  // namespace nfold::dynamics
