// Contributions of a rank to energies and virials: exact sums over all terms and pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "engine/forces/forces.hpp"
#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/loops/pair_loop.hpp"

namespace nfold::forces {

/// Index of each energy among the sums; pairs are counted from both sides, and both kinetic
/// energies (kernels::KineticEnergyLoop) come last.
struct EnergyKind {
  /// Bonded terms use the index of their kind in topology::BondedKinds.
  enum Place { short_range_twice = topology::BondedKinds::size, charge_twice };
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
  t.for_each_set([&](auto kind, const auto& set) {
    using Kind = std::decay_t<decltype(kind)>;
    add(static_cast<int>(topology::BondedKinds::index_of<Kind>()),
        device::sum_over((std::string(kind.name) + " energy").c_str(), set.terms(),
                         set.energy_loop(x, forces.exact_scale())));
  });
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

/// Returns twice the energy of all pairs of charges with this potential; sum of this rank.
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

/// Returns twice the virial, in counts: xx, yy, zz, xy, xz, yz.
template <class Precision>
[[nodiscard]] kernels::ExactSums<6> virial_twice(
    const Forces<Precision>& forces, const ForceTables<Precision>& t,
    kernels::Columns<const typename Precision::Coordinate> x) {
  kernels::ExactSums<6> total;
  t.for_each_set([&](auto /*kind*/, const auto& set) {
    const auto sums =
        device::sum_over("virial", set.terms(), set.virial_loop(x, forces.exact_scale()));
    total += sums;
    total += sums;
  });
  forces.for_each_pair_kind([&](const auto& pairs, bool /*charges*/) {
    using Pairs = std::decay_t<decltype(pairs)>;
    total += device::sum_over("virial", pairs.list.selected, kernels::PairVirialLoop<Pairs>{pairs});
  });
  return total;
}

}  // namespace nfold::forces
