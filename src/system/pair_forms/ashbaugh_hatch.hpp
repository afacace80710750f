// Ashbaugh-Hatch potential: attraction scaled by the stickiness of both residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "system/pair_forms/short_range.hpp"

namespace nfold::kernels {
template <class Real, bool general>
struct AshbaughHatch;
}

namespace nfold::pair_forms {

/// Returns energy and slope of LJ(r) = 4 epsilon [(s/r)^12 - (s/r)^6].
[[nodiscard]] inline PairValue lennard_jones(double epsilon, double sigma, double r) {
  const double q6 = std::pow(sigma / r, 6);
  return {true, 4 * epsilon * q6 * (q6 - 1), -24 * epsilon * q6 * (2 * q6 - 1) / r};
}

/// Returns the cutoff of a pair with this sigma [nm].
[[nodiscard]] inline double pair_cutoff_nm(const ShortRange& s, double sigma_nm) {
  const double own = s.cutoff_over_sigma > 0 ? s.cutoff_over_sigma * sigma_nm : s.cutoff_nm;
  return std::min(s.cutoff_nm, own);
}

/// Returns the Ashbaugh-Hatch potential of one pair.
[[nodiscard]] inline PairValue ashbaugh_hatch_value(const ShortRange& s, double epsilon,
                                                    double sigma, double lambda, double r) {
  const double cutoff = pair_cutoff_nm(s, sigma);
  if (!(r < cutoff)) return {};
  const auto lj = lennard_jones(epsilon, sigma, r);
  const double shift = s.shifted ? lambda * lennard_jones(epsilon, sigma, cutoff).energy : 0;
  if (r <= std::pow(2.0, 1.0 / 6) * sigma) {
    return {true, lj.energy + epsilon * (1 - lambda) - shift, lj.slope};
  }
  return {true, lambda * lj.energy - shift, lambda * lj.slope};
}

/// Sets options shared by Ashbaugh-Hatch and Kim-Hummer forms. The largest sigma bounds the cutoff.
inline void set_options(const ModelNumbers& model, double largest_sigma_nm, ShortRange& s) {
  s.type_names = model.type_names;
  s.shifted = model.shifted;
  s.domains_only_repel = model.domains_only_repel;
  s.cutoff_over_sigma = model.cutoff_over_sigma;
  s.cutoff_nm = model.cutoff_nm;
  if (s.cutoff_over_sigma > 0) {
    const double longest = s.cutoff_over_sigma * largest_sigma_nm;
    s.cutoff_nm = s.cutoff_nm > 0 ? std::min(s.cutoff_nm, longest) : longest;
  }
}

/// Ashbaugh-Hatch form. With s and l the means of both types and r_m = 2^(1/6) s: LJ(r) + epsilon
/// (1 - l) up to r_m, l LJ(r) beyond it; minus l LJ(cutoff) if shifted. J. Am. Chem. Soc. 130, 9536
/// (2008).
struct AshbaughHatch : FormDefaults<AshbaughHatch> {
  static constexpr std::string_view name = "an Ashbaugh-Hatch potential";
  static constexpr std::string_view title = "Ashbaugh-Hatch";
  static constexpr std::string_view machine_key = "ashbaugh-hatch";
  static constexpr bool has_type_columns = true;

  [[nodiscard]] static ShortRange build(const ModelNumbers& model) {
    ShortRange s;
    s.epsilon_kj_mol = model.epsilon_kj_mol;
    s.type_sigma_nm = model.type_sigma_nm;
    s.type_lambda = model.type_lambda;
    double largest = 0;
    for (const double sigma : s.type_sigma_nm) largest = std::max(largest, sigma);
    set_options(model, largest, s);
    return s;
  }
  [[nodiscard]] static TypeColumns type_columns(const ShortRange& s, std::size_t type) {
    return {0.5 * s.type_sigma_nm.at(type), 0.5 * s.type_lambda.at(type)};
  }
  [[nodiscard]] static bool depends_on_domains(const ShortRange& s) { return is_general(s); }

  template <class Real, bool general = true>
  [[nodiscard]] static kernels::AshbaughHatch<Real, general> kernel(
      const KernelSource<Real>& from) {
    const auto& s = from.numbers;
    const auto epsilon = static_cast<Real>(s.epsilon_kj_mol);
    return {epsilon,
            from.in_units(Real(24) * epsilon),
            static_cast<Real>(s.cutoff_nm * s.cutoff_nm),
            static_cast<Real>(s.cutoff_over_sigma * s.cutoff_over_sigma),
            s.shifted,
            s.domains_only_repel};
  }
  /// Selects the general kernel only if needed, because it costs some instructions per pair. Exact
  /// is double; it is a template parameter because nvcc otherwise requires complete kernel types
  /// here.
  template <class Real, class Exact, class Visit>
  static void with_kernels(const KernelSource<Real>& forces, const KernelSource<Exact>& energies,
                           const Visit& visit) {
    if (is_general(forces.numbers)) {
      visit(kernel<Real, true>(forces), kernel<Exact, true>(energies));
    } else {
      visit(kernel<Real, false>(forces), kernel<Exact, false>(energies));
    }
  }

  [[nodiscard]] static double steepest_slope(const ShortRange& s, double r) {
    const auto largest = [](const std::vector<double>& values, double least) {
      for (const double value : values) least = std::max(least, std::abs(value));
      return least;
    };
    const double q3 = std::pow(largest(s.type_sigma_nm, 0) / r, 6);
    return largest(s.type_lambda, 1) * 24 * s.epsilon_kj_mol * (2 * q3 + 1) * q3 / r;
  }
  [[nodiscard]] static double hard_core_nm(const ShortRange& s, int a, int b, double fraction) {
    return fraction * 0.5 *
           (s.type_sigma_nm[static_cast<std::size_t>(a)] +
            s.type_sigma_nm[static_cast<std::size_t>(b)]);
  }
  [[nodiscard]] static PairValue value(const ShortRange& s, const PairContext& pair, double r) {
    const auto a = static_cast<std::size_t>(pair.first_type),
               b = static_cast<std::size_t>(pair.second_type);
    const bool only_repels = s.domains_only_repel && pair.is_in_one_domain;
    const double lambda = only_repels ? 0 : 0.5 * (s.type_lambda[a] + s.type_lambda[b]);
    return ashbaugh_hatch_value(s, s.epsilon_kj_mol,
                                0.5 * (s.type_sigma_nm[a] + s.type_sigma_nm[b]), lambda, r);
  }

 private:
  [[nodiscard]] static bool is_general(const ShortRange& s) {
    return s.domains_only_repel || s.cutoff_over_sigma > 0;
  }
};

}  // namespace nfold::pair_forms
