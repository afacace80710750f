// Excluded volume, equal for all pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "system/pair_forms/short_range.hpp"

namespace nfold::kernels {
template <class Real>
struct Repulsion12;
}

namespace nfold::pair_forms {

/// U = epsilon (sigma/r)^12 for r < cutoff.
struct Repulsion12 : FormDefaults<Repulsion12> {
  static constexpr std::string_view name = "a repulsion alike for all pairs";
  static constexpr std::string_view title = "r^-12 repulsion";
  static constexpr std::string_view machine_key = "repulsion-12";

  template <class Real>
  [[nodiscard]] static kernels::Repulsion12<Real> kernel(const KernelSource<Real>& from) {
    const auto& s = from.numbers;
    const auto epsilon = static_cast<Real>(s.epsilon_kj_mol);
    return {epsilon, from.in_units(Real(12) * epsilon), static_cast<Real>(s.sigma_nm * s.sigma_nm),
            static_cast<Real>(s.cutoff_nm * s.cutoff_nm)};
  }
  [[nodiscard]] static double steepest_slope(const ShortRange& s, double r) {
    return 12 * s.epsilon_kj_mol * std::pow(s.sigma_nm / r, 12) / r;
  }
  [[nodiscard]] static double hard_core_nm(const ShortRange& s, int /*a*/, int /*b*/,
                                           double fraction) {
    constexpr double factor = 1.2;            // times sigma: there the repulsion is 0.11 epsilon
    constexpr double default_sigma_nm = 0.4;  // used by a model without repulsion
    return fraction * factor * (s.sigma_nm > 0 ? s.sigma_nm : default_sigma_nm);
  }
  [[nodiscard]] static PairValue value(const ShortRange& s, const PairContext& /*pair*/, double r) {
    if (!(r < s.cutoff_nm)) return {};
    const double energy = s.epsilon_kj_mol * std::pow(s.sigma_nm / r, 12);
    return {true, energy, -12 * energy / r};
  }
};

}  // namespace nfold::pair_forms
