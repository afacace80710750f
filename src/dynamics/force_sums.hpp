// A rank's share of the energies and virials: exact sums over all terms and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "dynamics/forces.hpp"
#include "kernels/pair_loop.hpp"

namespace nfold::dynamics {

/// In energy counts; pairs are counted from both sides.
struct EnergySums {
  std::int64_t bond = 0, angle = 0, dihedral = 0, restraint = 0, contact = 0;
  std::int64_t short_range_twice = 0, charge_twice = 0;
};

template <class Precision>
[[nodiscard]] EnergySums energy_sums(const Forces<Precision>& forces,
                                     const ForceTables<Precision>& t,
                                     kernels::Columns<const typename Precision::Coordinate> x) {
  const auto sum = [&](const char* label, const auto& set) {
    return sum_over(label, set.terms(), set.energy_loop(x, forces.exact_scale()));
  };
  EnergySums sums;
  sums.bond = sum("bond energy", t.bonds);
  sums.angle = sum("angle energy", t.angles);
  sums.dihedral = sum("dihedral energy", t.dihedrals);
  sums.restraint = sum("restraint energy", t.restraints);
  sums.contact =
      sum("contact energy", t.contacts_12_10) + sum("contact energy", t.contacts_gaussian);
  forces.for_each_pair_kind([&](const auto& pairs, bool charges) {
    using Pairs = std::decay_t<decltype(pairs)>;
    (charges ? sums.charge_twice : sums.short_range_twice) =
        sum_over("pair energy", pairs.list.selected, kernels::PairEnergyLoop<Pairs>{pairs});
  });
  return sums;
}

/// The virial, twice, in counts: xx, yy, zz, xy, xz, yz.
template <class Precision>
[[nodiscard]] std::array<std::int64_t, 6> virial_twice(
    const Forces<Precision>& forces, const ForceTables<Precision>& t,
    kernels::Columns<const typename Precision::Coordinate> x) {
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
    add(set.terms(), set.virial_loop(x, forces.exact_scale()), 2);
  };
  add_terms(t.bonds);
  add_terms(t.angles);
  add_terms(t.dihedrals);
  add_terms(t.restraints);
  add_terms(t.contacts_12_10);
  add_terms(t.contacts_gaussian);
  forces.for_each_pair_kind([&](const auto& pairs, bool /*charges*/) {
    using Pairs = std::decay_t<decltype(pairs)>;
    add(pairs.list.selected, kernels::PairVirialLoop<Pairs>{pairs}, 1);
  });
  return total;
}

}  // namespace nfold::dynamics
