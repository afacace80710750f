// From the topology's tables to the pair potentials of the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "device/device_array.hpp"
#include "forces/wang_frenkel_shape.hpp"
#include "kernels/potentials/ashbaugh_hatch.hpp"
#include "kernels/potentials/debye_hueckel.hpp"
#include "kernels/potentials/repulsion_12.hpp"
#include "kernels/potentials/wang_frenkel.hpp"
#include "topology/topology.hpp"

namespace nfold::forces {

/// Type and folded domain, as pair potentials have them.
[[nodiscard]] inline int pair_kind(const topology::Residue& residue) {
  return residue.type + kernels::types_at_most * (residue.domain + 1);
}

/// The potentials of one system, in any arithmetic.
class PairPotentials {
 public:
  explicit PairPotentials(const topology::Topology& topology)
      : short_range_(topology.short_range), electrostatics_(topology.electrostatics) {
    const auto exact = wang_frenkel_table();
    wang_frenkel_exact_.upload(exact);
    wang_frenkel_mixed_.upload(std::vector<float>(exact.begin(), exact.end()));
  }

  /// Calls visit(pair, exact) with the short-range potential of the forces, which gives quanta, and
  /// that of the energies, in double.
  template <class Precision, class Visit>
  void with_short_range(const Visit& visit) const {
    using Real = typename Precision::Real;
    constexpr double unit = Precision::force_quantum;
    switch (short_range_.form) {
      case topology::ShortRangeForm::repulsion_12:
        return visit(repulsion<Real>(unit), repulsion<double>(1));
      case topology::ShortRangeForm::ashbaugh_hatch:
        if (is_general()) {
          return visit(ashbaugh_hatch<Real, true>(unit), ashbaugh_hatch<double, true>(1));
        }
        return visit(ashbaugh_hatch<Real, false>(unit), ashbaugh_hatch<double, false>(1));
      case topology::ShortRangeForm::wang_frenkel:
        return visit(wang_frenkel<Real>(unit), wang_frenkel<double>(1));
    }
  }

  /// The short-range potential, in the form that the caller knows it to have; any Ashbaugh-Hatch
  /// one has the general.
  template <class Real>
  void get_short_range(double unit, kernels::Repulsion12<Real>& pair) const {
    pair = repulsion<Real>(unit);
  }
  template <class Real>
  void get_short_range(double unit, kernels::AshbaughHatch<Real, true>& pair) const {
    pair = ashbaugh_hatch<Real, true>(unit);
  }
  template <class Real>
  void get_short_range(double unit, kernels::WangFrenkel<Real>& pair) const {
    pair = wang_frenkel<Real>(unit);
  }

  /// unit: of forces [kJ/mol/nm], a power of two.
  template <class Real>
  [[nodiscard]] kernels::DebyeHueckel<Real> electrostatics(double unit) const {
    return debye_hueckel<Real>(electrostatics_, unit);
  }
  /// With another screening, between charges of a coulomb_kj_mol_nm of 1.
  [[nodiscard]] kernels::DebyeHueckel<double> unit_charges(double kappa_per_nm) const {
    return unit_charges(electrostatics_, kappa_per_nm);
  }
  [[nodiscard]] static kernels::DebyeHueckel<double> unit_charges(
      topology::Electrostatics electrostatics, double kappa_per_nm) {
    electrostatics.coulomb_kj_mol_nm = 1;
    electrostatics.kappa_per_nm = kappa_per_nm;
    return debye_hueckel<double>(electrostatics, 1);
  }
  [[nodiscard]] bool looks_at_domains() const {
    return short_range_.form != topology::ShortRangeForm::ashbaugh_hatch || is_general();
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
  [[nodiscard]] bool is_general() const {
    return short_range_.domains_only_repel || short_range_.cutoff_over_sigma > 0;
  }
  template <class Real>
  static Real in_units(Real force, double unit) {
    return force * static_cast<Real>(1 / unit);
  }
  template <class Real>
  [[nodiscard]] kernels::Repulsion12<Real> repulsion(double unit) const {
    const auto& s = short_range_;
    const auto epsilon = static_cast<Real>(s.epsilon_kj_mol);
    return {epsilon, in_units(Real(12) * epsilon, unit), static_cast<Real>(s.sigma_nm * s.sigma_nm),
            static_cast<Real>(s.cutoff_nm * s.cutoff_nm)};
  }
  template <class Real, bool general>
  [[nodiscard]] kernels::AshbaughHatch<Real, general> ashbaugh_hatch(double unit) const {
    const auto& s = short_range_;
    const auto epsilon = static_cast<Real>(s.epsilon_kj_mol);
    return {epsilon,
            in_units(Real(24) * epsilon, unit),
            static_cast<Real>(s.cutoff_nm * s.cutoff_nm),
            static_cast<Real>(s.cutoff_over_sigma * s.cutoff_over_sigma),
            s.shifted,
            s.domains_only_repel};
  }
  template <class Real>
  [[nodiscard]] kernels::WangFrenkel<Real> wang_frenkel(double unit) const {
    const Real* table = nullptr;
    if constexpr (std::is_same_v<Real, float>) {
      table = wang_frenkel_mixed_.data();
    } else {
      table = wang_frenkel_exact_.data();
    }
    return {table, static_cast<int>(short_range_.type_names.size()),
            static_cast<Real>(short_range_.cutoff_nm * short_range_.cutoff_nm),
            in_units(Real(2), unit)};
  }
  [[nodiscard]] std::vector<double> wang_frenkel_table() const {
    std::vector<double> table;
    table.reserve(4 * short_range_.pairs.size());
    for (const auto& p : short_range_.pairs) {
      const auto [inverse_x, amplitude] = wang_frenkel_shape(p);
      table.push_back(p.sigma_nm * p.sigma_nm);
      table.push_back(amplitude);
      table.push_back(inverse_x);
      table.push_back(p.mu);
    }
    return table;
  }

  topology::ShortRange short_range_;
  topology::Electrostatics electrostatics_;
  device::DeviceArray<float> wang_frenkel_mixed_{"wang_frenkel"};
  device::DeviceArray<double> wang_frenkel_exact_{"wang_frenkel_exact"};
};

}  // namespace nfold::forces
