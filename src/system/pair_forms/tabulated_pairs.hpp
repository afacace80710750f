// Any sum of pair functions, by tables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "system/pair_forms/pair_curves.hpp"
#include "system/pair_forms/short_range.hpp"

namespace nfold::kernels {
struct MixedTypes;
struct TypePairs;
struct TypePairsAndSites;
struct ChargeProducts;
template <class Real, class Source>
struct TabulatedPair;
}  // namespace nfold::kernels

namespace nfold::pair_forms {

/// Functions of all pairs of types with their tables.
struct TabulatedFunctions {
  std::vector<std::vector<PairFunction>> functions;  ///< (types, types), symmetric; empty: none
  PairCurves curves;

  [[nodiscard]] int types() const {
    return static_cast<int>(std::lround(std::sqrt(static_cast<double>(functions.size()))));
  }
  [[nodiscard]] const std::vector<PairFunction>& of_types(int a, int b) const {
    return functions[static_cast<std::size_t>(a) * static_cast<std::size_t>(types()) +
                     static_cast<std::size_t>(b)];
  }
  [[nodiscard]] PairValue value(int a, int b, double r) const {
    PairValue sum;
    for (const auto& function : of_types(a, b)) {
      const auto one = function.at(r);
      sum = {sum.acts || one.acts, sum.energy + one.energy, sum.slope + one.slope};
    }
    return sum;
  }
  /// Returns the longest distance at which two residues repel each other with 40 kJ/mol/nm, about
  /// the sigma of a Lennard-Jones potential of residues; 0: none.
  [[nodiscard]] double core_nm(int a, int b) const {
    constexpr double core_force = 40, step = 0.99;
    double r = 0;
    for (const auto& function : of_types(a, b)) {
      r = std::max(r, function.cutoff_nm);
    }
    for (r *= step; r > PairCurves::shortest_nm; r *= step) {
      if (!(-value(a, b, r).slope < core_force)) return r;
    }
    return 0;
  }
  /// Adds everything that distinguishes two potentials to a hash.
  template <class Hash>
  void add_to(Hash& hash) const {
    hash.add_table(functions, [&hash](const std::vector<PairFunction>& pair) {
      hash.add_table(pair, [&hash](const PairFunction& one) {
        const auto& [kind, numbers, custom, factor, cutoff_nm, cutoff_form, switch_nm] = one;
        hash.add(static_cast<int>(kind));
        for (const double number : numbers) hash.add(number);
        hash.add_all(custom == nullptr ? std::uint64_t{0} : custom->hash(), factor, cutoff_nm,
                     static_cast<int>(cutoff_form), switch_nm);
      });
    });
  }
};
/// Tabulates the functions of each pair of types. Throws as make_pair_curves().
[[nodiscard]] inline std::shared_ptr<const TabulatedFunctions> tabulate(
    std::vector<std::vector<PairFunction>> functions, std::span<const std::string> type_names) {
  auto curves = make_pair_curves(functions, type_names);
  return std::make_shared<const TabulatedFunctions>(
      TabulatedFunctions{std::move(functions), std::move(curves)});
}

/// Array that kernels::TabulatedPair reads: parameters of pairs, site factors, bins. Each part
/// begins at a multiple of 8 numbers.
template <class Real>
class TabulatedArray {
 public:
  TabulatedArray(const PairCurves& curves, std::size_t sites)
      : curves_(curves),
        site_factors_(padded(curves.pairs.size() * (is_single ? 8 : 12))),
        bins_(site_factors_ + padded(sites + 1)) {}

  /// unit: of forces in single precision [kJ/mol/nm].
  [[nodiscard]] std::vector<Real> values(const std::vector<double>& site_factors,
                                         double unit) const {
    std::vector<Real> all;
    const double per_unit = is_single ? 1 / unit : 1;
    for (const auto& [inner, outer, split, cutoff] : curves_.pairs) {
      for (const double value : {inner.scale_squared_nm2, outer.scale_squared_nm2, split, cutoff,
                                 per_unit * inner.amplitude, per_unit * outer.amplitude}) {
        all.push_back(static_cast<Real>(value));
      }
      all.push_back(bits_of(inner.row << bins_of_row_log2()));
      all.push_back(bits_of(outer.row << bins_of_row_log2()));
      if (is_single) continue;
      for (const double value : {inner.offset_kj_mol, outer.offset_kj_mol, 0.0, 0.0}) {
        all.push_back(static_cast<Real>(value));
      }
    }
    all.resize(site_factors_);
    all.push_back(1);
    for (const double factor : site_factors) all.push_back(static_cast<Real>(factor));
    all.resize(bins_);
    const auto& bins = is_single ? curves_.force : curves_.energy;
    const auto mixed = curves_.mixing.has_value() && is_single
                           ? bins.size() - (coefficients << bins_of_row_log2())
                           : bins.size();
    for (std::size_t k = 0; k < bins.size(); ++k) {
      all.push_back(static_cast<Real>(k < mixed ? bins[k] : per_unit * bins[k]));
    }
    return all;
  }
  /// array: values() in the kernel's memory; unit: of its forces.
  template <class Source>
  [[nodiscard]] kernels::TabulatedPair<Real, Source> kernel(const Real* array, int types,
                                                            double unit) const {
    kernels::TabulatedPair<Real, Source> pair{};
    pair.pairs = array;
    pair.site_factors = array + site_factors_;
    pair.bins = array + bins_;
    pair.types = types;
    pair.bin_shift = (is_single ? 23 : 52) - bins_log2();
    pair.bin_mask = (1 << bins_of_row_log2()) - 1;
    pair.largest_q = static_cast<Real>(curves_.largest_q);
    pair.per_unit = static_cast<Real>(1 / unit);
    if constexpr (std::is_same_v<Source, kernels::MixedTypes>) {
      const auto& mixing = curves_.mixing.value();
      pair.bins += coefficients * (mixing.row << bins_of_row_log2());
      pair.mixed_inner_amplitude = static_cast<Real>(mixing.inner_amplitude);
      pair.mixed_cutoff_squared = static_cast<Real>(mixing.cutoff_squared_nm2);
      pair.cutoff_over_scale_squared = static_cast<Real>(mixing.cutoff_over_scale_squared);
    }
    return pair;
  }

 private:
  static constexpr bool is_single = std::is_same_v<Real, float>;
  static constexpr std::size_t coefficients =
      is_single ? PairCurves::force_coefficients : PairCurves::energy_coefficients;
  [[nodiscard]] int bins_log2() const {
    return is_single ? curves_.force_bins_log2 : curves_.energy_bins_log2;
  }
  [[nodiscard]] int bins_of_row_log2() const { return curves_.octaves_log2 + bins_log2(); }
  static std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }
  /// Returns the number whose bits are this integer.
  static Real bits_of(std::size_t n) {
    using Word = std::conditional_t<is_single, std::uint32_t, std::uint64_t>;
    return std::bit_cast<Real>(static_cast<Word>(n));
  }

  const PairCurves& curves_;
  std::size_t site_factors_, bins_;
};

/// Sum of the functions of each pair of types, from tables with a bound of their error. Factors of
/// residues, if there are any, take the place of domains in records.
struct TabulatedPairs : FormDefaults<TabulatedPairs> {
  static constexpr std::string_view name = "a tabulated short-range potential";
  static constexpr std::string_view title = "tabulated functions";
  static constexpr std::string_view machine_key = "tabulated";
  static constexpr bool has_type_columns = true;

  /// Builds the parameters. Throws as make_pair_curves().
  [[nodiscard]] static ShortRange make(std::vector<std::vector<PairFunction>> functions,
                                       std::vector<std::string> type_names, ShortRangeForm form) {
    auto tabulated = tabulate(std::move(functions), type_names);
    return make(std::move(tabulated), std::move(type_names), form);
  }
  [[nodiscard]] static ShortRange make(std::shared_ptr<const TabulatedFunctions> tabulated,
                                       std::vector<std::string> type_names, ShortRangeForm form) {
    ShortRange s;
    s.form = form;
    s.tabulated = std::move(tabulated);
    s.type_names = std::move(type_names);
    const auto& curves = s.tabulated->curves;
    s.cutoff_nm = curves.cutoff_nm;
    s.sigma_nm = 0;
    if (curves.mixing.has_value()) {
      for (const double half : curves.mixing->half_scale_nm) s.type_sigma_nm.push_back(2 * half);
    }
    return s;
  }
  [[nodiscard]] static TypeColumns type_columns(const ShortRange& s, std::size_t type) {
    const auto& mixing = s.tabulated->curves.mixing;
    if (!mixing.has_value()) return {};
    return {mixing->half_scale_nm[type], mixing->half_outer_amplitude[type]};
  }
  [[nodiscard]] static bool depends_on_domains(const ShortRange& s) {
    return !s.site_factors.empty();
  }
  // Also without factors: a record then holds no site, where the kernels expect one.
  [[nodiscard]] static bool has_sites(const ShortRange& /*numbers*/) { return true; }

  template <class Real>
  [[nodiscard]] static std::vector<Real> table(const ShortRange& s, double unit) {
    return TabulatedArray<Real>(s.tabulated->curves, s.site_factors.size())
        .values(s.site_factors, unit);
  }
  template <class Real, class Source = kernels::TypePairsAndSites>
  [[nodiscard]] static kernels::TabulatedPair<Real, Source> kernel(const KernelSource<Real>& from) {
    const auto& s = from.numbers;
    return TabulatedArray<Real>(s.tabulated->curves, s.site_factors.size())
        .template kernel<Source>(from.table, s.tabulated->types(), from.unit);
  }
  /// Selects the kernel that reads least.
  template <class Real, class Exact, class Visit>
  static void with_kernels(const KernelSource<Real>& forces, const KernelSource<Exact>& energies,
                           const Visit& visit) {
    using kernels::TypePairs, kernels::TypePairsAndSites;
    if (!forces.numbers.site_factors.empty()) {
      visit(kernel<Real, TypePairsAndSites>(forces), kernel<Exact, TypePairsAndSites>(energies));
      return;
    }
    if constexpr (std::is_same_v<Real, float>) {
      if (forces.numbers.tabulated->curves.mixing.has_value()) {
        visit(kernel<Real, kernels::MixedTypes>(forces), kernel<Exact, TypePairs>(energies));
        return;
      }
    }
    visit(kernel<Real, TypePairs>(forces), kernel<Exact, TypePairs>(energies));
  }

  [[nodiscard]] static double steepest_slope(const ShortRange& s, double r) {
    double largest = 1;
    for (const double factor : s.site_factors) largest = std::max(largest, std::abs(factor));
    return largest * largest * s.tabulated->curves.slope_bound(r);
  }
  [[nodiscard]] static double hard_core_nm(const ShortRange& s, int a, int b, double fraction) {
    return fraction * s.tabulated->core_nm(a, b);
  }
  [[nodiscard]] static PairValue value(const ShortRange& s, const PairContext& pair, double r) {
    auto value = s.tabulated->value(pair.first_type, pair.second_type, r);
    const auto factor = [&](int site) {
      return site < 0 ? 1.0 : s.site_factors[static_cast<std::size_t>(site)];
    };
    const double both = factor(pair.first_site) * factor(pair.second_site);
    return {value.acts, both * value.energy, both * value.slope};
  }
};

}  // namespace nfold::pair_forms
