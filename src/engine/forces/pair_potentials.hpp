// Conversion of the topology's tables to the kernels' pair potentials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "device/device_array.hpp"
#include "kernels/potentials/ashbaugh_hatch.hpp"
#include "kernels/potentials/debye_hueckel.hpp"
#include "kernels/potentials/kim_hummer.hpp"
#include "kernels/potentials/repulsion_12.hpp"
#include "kernels/potentials/wang_frenkel.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Encodes type and folded domain for pair potentials.
[[nodiscard]] inline int pair_kind(const topology::Residue& residue) {
  return residue.type + kernels::types_at_most * (residue.domain + 1);
}

/// Pair potentials of one system, in any precision.
class PairPotentials {
 public:
  explicit PairPotentials(const topology::Topology& topology)
      : short_range_(topology.short_range), electrostatics_(topology.electrostatics) {
    const auto exact = pair_forms::with_form(
        short_range_.form, [&](auto form) { return form.pair_table(short_range_); });
    exact_table_.upload(exact);
    mixed_table_.upload(std::vector<float>(exact.begin(), exact.end()));
  }

  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology) {
    estimate.in("pair tables").count([&] { const PairPotentials potentials(topology); });
  }

  /// Calls visit(pair, exact) with the short-range potential for forces, in quanta, and for
  /// energies, in double.
  template <class Precision, class Visit>
  void with_short_range(const Visit& visit) const {
    pair_forms::with_form(short_range_.form, [&](auto form) {
      form.with_kernels(source<typename Precision::Real>(Precision::force_quantum),
                        source<double>(1), visit);
    });
  }

  /// Returns the short-range potential in the form that the caller expects; any Ashbaugh-Hatch
  /// potential has the general form.
  template <class Real>
  void get_short_range(double unit, kernels::Repulsion12<Real>& pair) const {
    pair = pair_forms::Repulsion12::kernel(source<Real>(unit));
  }
  template <class Real>
  void get_short_range(double unit, kernels::AshbaughHatch<Real, true>& pair) const {
    pair = pair_forms::AshbaughHatch::kernel(source<Real>(unit));
  }
  template <class Real>
  void get_short_range(double unit, kernels::WangFrenkel<Real>& pair) const {
    pair = pair_forms::WangFrenkel::kernel(source<Real>(unit));
  }

  /// unit: of forces [kJ/mol/nm], a power of two.
  template <class Real>
  [[nodiscard]] kernels::DebyeHueckel<Real> electrostatics(double unit) const {
    return debye_hueckel<Real>(electrostatics_, unit);
  }
  /// Returns the potential with another screening and coulomb_kj_mol_nm = 1.
  [[nodiscard]] kernels::DebyeHueckel<double> unit_charges(double kappa_per_nm) const {
    return unit_charges(electrostatics_, kappa_per_nm);
  }
  [[nodiscard]] static kernels::DebyeHueckel<double> unit_charges(
      topology::Electrostatics electrostatics, double kappa_per_nm) {
    electrostatics.coulomb_kj_mol_nm = 1;
    electrostatics.kappa_per_nm = kappa_per_nm;
    return debye_hueckel<double>(electrostatics, 1);
  }
  [[nodiscard]] bool depends_on_domains() const {
    return pair_forms::with_form(short_range_.form,
                                 [&](auto form) { return form.depends_on_domains(short_range_); });
  }
  [[nodiscard]] double short_range_cutoff_nm() const { return short_range_.cutoff_nm; }
  [[nodiscard]] double electrostatic_cutoff_nm() const { return electrostatics_.cutoff_nm; }
  [[nodiscard]] bool has_electrostatics() const { return electrostatics_.acts(); }

  template <class Real>
  static kernels::DebyeHueckel<Real> debye_hueckel(const topology::Electrostatics& e, double unit) {
    const double rc = e.cutoff_nm;
    const double at_cutoff = e.shifted && rc > 0 ? std::exp(-e.kappa_per_nm * rc) / rc : 0;
    const auto coulomb = static_cast<Real>(e.coulomb_kj_mol_nm);
    return {coulomb, in_units(coulomb, unit), static_cast<Real>(e.kappa_per_nm),
            static_cast<Real>(rc * rc), static_cast<Real>(at_cutoff)};
  }

 private:
  template <class Real>
  static Real in_units(Real force, double unit) {
    return force * static_cast<Real>(1 / unit);
  }
  template <class Real>
  [[nodiscard]] pair_forms::KernelSource<Real> source(double unit) const {
    if constexpr (std::is_same_v<Real, float>) {
      return {short_range_, mixed_table_.data(), unit};
    } else {
      return {short_range_, exact_table_.data(), unit};
    }
  }

  topology::ShortRange short_range_;
  topology::Electrostatics electrostatics_;
  device::DeviceArray<float> mixed_table_{"pair_table"};
  device::DeviceArray<double> exact_table_{"pair_table_exact"};
};

}  // namespace nfold::forces
