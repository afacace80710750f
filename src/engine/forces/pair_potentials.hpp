// Conversion of the topology's tables to the kernels' pair potentials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "device/device_array.hpp"
#include "kernels/potentials/ashbaugh_hatch.hpp"
#include "kernels/potentials/debye_hueckel.hpp"
#include "kernels/potentials/kim_hummer.hpp"
#include "kernels/potentials/repulsion_12.hpp"
#include "kernels/potentials/tabulated_pair.hpp"
#include "kernels/potentials/wang_frenkel.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Encodes type and folded domain, or the site in its place, for pair potentials.
[[nodiscard]] inline int pair_kind(const topology::ShortRange& table,
                                   const topology::Residue& residue) {
  const bool has_sites =
      pair_forms::with_form(table.form, [&](auto form) { return form.has_sites(table); });
  return residue.type + kernels::types_at_most * ((has_sites ? residue.site : residue.domain) + 1);
}

/// Pair potentials of one system, in any precision.
class PairPotentials {
 public:
  explicit PairPotentials(const topology::Topology& topology)
      : short_range_(topology.short_range), electrostatics_(topology.electrostatics) {
    constexpr double unit = kernels::Mixed::force_quantum;
    pair_forms::with_form(short_range_.form, [&](auto form) {
      exact_table_.upload(form.template table<double>(short_range_, 1));
      mixed_table_.upload(form.template table<float>(short_range_, unit));
    });
    if (!has_tabulated_charges()) return;
    const auto& curves = electrostatics_.tabulated->curves;
    exact_charges_.upload(pair_forms::TabulatedArray<double>(curves, 0).values({}, 1));
    mixed_charges_.upload(pair_forms::TabulatedArray<float>(curves, 0).values({}, unit));
  }

  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology) {
    estimate.in("pair tables").count([&] { const PairPotentials potentials(topology); });
  }

  /// Calls visit(pair, exact) with the short-range potential for forces, in quanta, and for
  /// energies, in double.
  template <class Precision, class Visit>
  void with_short_range(const Visit& visit) const {
    if (has_tabulated_charges()) {
      using Real = typename Precision::Real;
      visit(general_pairs<Real>(Precision::force_quantum), general_pairs<double>(1));
      return;
    }
    pair_forms::with_form(short_range_.form, [&](auto form) {
      form.with_kernels(source<typename Precision::Real>(Precision::force_quantum),
                        source<double>(1), visit);
    });
  }

  /// Calls visit(pair, exact) with the potential of charges, as with_short_range().
  template <class Precision, class Visit>
  void with_charges(const Visit& visit) const {
    using Real = typename Precision::Real;
    if (!has_tabulated_charges()) {
      visit(electrostatics<Real>(Precision::force_quantum), electrostatics<double>(1));
    } else if (electrostatics_.multiplies_charges) {
      using Source = kernels::ChargeProducts;
      visit(tabulated_charges<Real, Source>(Precision::force_quantum),
            tabulated_charges<double, Source>(1));
    } else {
      using Source = kernels::TypePairs;
      visit(tabulated_charges<Real, Source>(Precision::force_quantum),
            tabulated_charges<double, Source>(1));
    }
  }
  /// Calls visit(pair, charges) with both potentials for forces. Tabulated charges are combined
  /// with the general tabulated pairs alone, so that there are few kernels to compile.
  template <class Precision, class Visit>
  void with_both(const Visit& visit) const {
    using Real = typename Precision::Real;
    if (!has_tabulated_charges()) {
      with_short_range<Precision>([&](const auto& pair, const auto& /*exact*/) {
        visit(pair, electrostatics<Real>(Precision::force_quantum));
      });
      return;
    }
    const auto pair = general_pairs<Real>(Precision::force_quantum);
    with_charges<Precision>(
        [&](const auto& charges, const auto& /*exact*/) { visit(pair, charges); });
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

  /// Returns the tag of a charged residue's record among those, which is never 0: its charge, or
  /// its type as that of a residue in a domain.
  template <class Precision>
  [[nodiscard]] typename Precision::Coordinate charge_tag(const topology::Residue& residue) const {
    if (has_tabulated_charges() && !electrostatics_.multiplies_charges) {
      return kernels::kind_step * (residue.type + kernels::types_at_most);
    }
    return Precision::to_tag(static_cast<typename Precision::Real>(residue.charge_e));
  }
  [[nodiscard]] bool has_tabulated_charges() const { return electrostatics_.tabulated != nullptr; }

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

  template <class Real>
  [[nodiscard]] kernels::TabulatedPair<Real, kernels::TypePairsAndSites> general_pairs(
      double unit) const {
    if (short_range_.form != topology::ShortRangeForm::tabulated) {
      throw std::logic_error("tabulated charges beside a short-range potential without tables");
    }
    return pair_forms::TabulatedPairs::kernel(source<Real>(unit));
  }
  template <class Real, class Source>
  [[nodiscard]] kernels::TabulatedPair<Real, Source> tabulated_charges(double unit) const {
    const auto& functions = *electrostatics_.tabulated;
    const pair_forms::TabulatedArray<Real> array(functions.curves, 0);
    if constexpr (std::is_same_v<Real, float>) {
      return array.template kernel<Source>(mixed_charges_.data(), functions.types(), unit);
    } else {
      return array.template kernel<Source>(exact_charges_.data(), functions.types(), unit);
    }
  }

  topology::ShortRange short_range_;
  topology::Electrostatics electrostatics_;
  device::DeviceArray<float> mixed_table_{"pair_table"}, mixed_charges_{"charge_table"};
  device::DeviceArray<double> exact_table_{"pair_table_exact"},
      exact_charges_{"charge_table_exact"};
};

}  // namespace nfold::forces
