// A rank's share of the energies and virials: exact sums over all terms and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include "forces/forces.hpp"
#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/loops/pair_loop.hpp"

namespace nfold::forces {

/// Places of a system's energies among their sums; pairs are counted from both sides, and both
/// kinetic energies (kernels::KineticEnergyLoop) come last.
struct EnergyKind {
  enum Place { bond, angle, dihedral, restraint, contact, short_range_twice, charge_twice };
  enum Kinetic { on_step = charge_twice + 1, half_step, count };
};

template <class Precision>
[[nodiscard]] kernels::ExactSums<EnergyKind::count> energy_sums(
    const Forces<Precision>& forces, const ForceTables<Precision>& t,
    kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::ExactSums<2>& kinetic) {
  kernels::ExactSums<EnergyKind::count> sums;
  const auto add = [&](int place, const kernels::ExactSums<1>& one) {
    sums.sum[place] += one.sum[0];
    sums.saturated += one.saturated;
  };
  const auto add_terms = [&](EnergyKind::Place place, const char* label, const auto& set) {
    add(place, device::sum_over(label, set.terms(), set.energy_loop(x, forces.exact_scale())));
  };
  add_terms(EnergyKind::bond, "bond energy", t.bonds);
  add_terms(EnergyKind::angle, "angle energy", t.angles);
  add_terms(EnergyKind::dihedral, "dihedral energy", t.dihedrals);
  add_terms(EnergyKind::restraint, "restraint energy", t.restraints);
  add_terms(EnergyKind::contact, "contact energy", t.contacts_12_10);
  add_terms(EnergyKind::contact, "contact energy", t.contacts_gaussian);
  forces.for_each_pair_kind([&](const auto& pairs, bool charges) {
    using Pairs = std::decay_t<decltype(pairs)>;
    add(charges ? EnergyKind::charge_twice : EnergyKind::short_range_twice,
        device::sum_over("pair energy", pairs.list.selected,
                         kernels::PairEnergyLoop<Pairs>{pairs}));
  });
  sums.sum[EnergyKind::on_step] = kinetic.sum[0];
  sums.sum[EnergyKind::half_step] = kinetic.sum[1];
  sums.saturated += kinetic.saturated;
  return sums;
}

/// The energy of all pairs of charges, twice, had they this potential; sums of this rank.
template <class Precision>
[[nodiscard]] kernels::ExactSums<1> charge_energy_twice(
    const Forces<Precision>& forces, const kernels::DebyeHueckel<double>& potential) {
  kernels::ExactSums<1> twice;
  forces.for_each_pair_kind([&](const auto& pairs, bool charges) {
    using Pairs = std::decay_t<decltype(pairs)>;
    if constexpr (std::is_same_v<std::decay_t<decltype(pairs.exact)>,
                                 kernels::DebyeHueckel<double>>) {
      if (!charges) return;
      Pairs others = pairs;
      others.exact = potential;
      twice = device::sum_over("screened energy", others.list.selected,
                               kernels::PairEnergyLoop<Pairs>{others});
    }
  });
  return twice;
}

/// The virial, twice, in counts: xx, yy, zz, xy, xz, yz.
template <class Precision>
[[nodiscard]] kernels::ExactSums<6> virial_twice(
    const Forces<Precision>& forces, const ForceTables<Precision>& t,
    kernels::Columns<const typename Precision::Coordinate> x) {
  kernels::ExactSums<6> total;
  const auto add_terms = [&](const auto& set) {
    const auto sums =
        device::sum_over("virial", set.terms(), set.virial_loop(x, forces.exact_scale()));
    total += sums;
    total += sums;
  };
  add_terms(t.bonds);
  add_terms(t.angles);
  add_terms(t.dihedrals);
  add_terms(t.restraints);
  add_terms(t.contacts_12_10);
  add_terms(t.contacts_gaussian);
  forces.for_each_pair_kind([&](const auto& pairs, bool /*charges*/) {
    using Pairs = std::decay_t<decltype(pairs)>;
    total += device::sum_over("virial", pairs.list.selected, kernels::PairVirialLoop<Pairs>{pairs});
  });
  return total;
}

}  // namespace nfold::forces
