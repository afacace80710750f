// Parameters of short-range potentials, and the interface of their forms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::pair_forms {

/// Index into PairForms of pair_forms.hpp.
enum class ShortRangeForm : int;

struct TabulatedFunctions;

/// Parameters of a pair of types, for forms with values for each pair.
struct TypePair {
  double epsilon_kj_mol = 0, sigma_nm = 0;
  double shape = 0;  ///< wang_frenkel: mu, which is 2, 4 or 11; kim_hummer: lambda
};

/// Parameters of the potential between all pairs that are not excluded. Comments name the forms
/// that read a parameter.
struct ShortRange {
  ShortRangeForm form{};         ///< the first: repulsion_12
  double epsilon_kj_mol = 0;     ///< repulsion_12, ashbaugh_hatch
  double sigma_nm = 0.4;         ///< repulsion_12
  double cutoff_nm = 1.1;        ///< longest range of any pair
  double cutoff_over_sigma = 0;  ///< > 0: cutoff of a pair over its sigma (at most cutoff_nm)
  bool shifted = false;
  /// Pairs within one folded domain that are not excluded take lambda = 0: they only repel.
  bool domains_only_repel = false;
  std::vector<double> type_sigma_nm, type_lambda;  ///< (types) ashbaugh_hatch
  std::vector<TypePair> pairs;          ///< (types, types), symmetric; wang_frenkel, kim_hummer
  std::vector<std::string> type_names;  ///< (types)
  std::shared_ptr<const TabulatedFunctions> tabulated;  ///< tabulated
  std::vector<double> site_factors;  ///< tabulated: of Residue::site; a pair's energy has both

  [[nodiscard]] const TypePair& pair(int a, int b) const {
    return pairs[static_cast<std::size_t>(a) * type_names.size() + static_cast<std::size_t>(b)];
  }
};

/// Numbers of a model from which a form builds its parameters.
struct ModelNumbers {
  std::vector<std::string> type_names;
  double epsilon_kj_mol = 0;                       ///< ashbaugh_hatch
  std::vector<double> type_sigma_nm, type_lambda;  ///< (types) ashbaugh_hatch
  std::vector<TypePair> pairs;  ///< (types, types), symmetric; wang_frenkel, kim_hummer
  double cutoff_nm = 0, cutoff_over_sigma = 0;
  bool shifted = false, domains_only_repel = false;
};

/// Half of a type's sigma and lambda, which kernels add for a pair.
struct TypeColumns {
  double half_sigma_nm = 0, half_lambda = 0;
};

/// A pair whose value is computed.
struct PairContext {
  int first_type, second_type;
  bool is_in_one_domain;
  int first_site = -1, second_site = -1;
};
/// Energy [kJ/mol] and dU/dr [kJ/mol/nm]. acts: true if the pair is within its cutoff.
struct PairValue {
  bool acts = false;
  double energy = 0, slope = 0;
};

/// Source of a kernel's parameters: the pair table in the kernel's precision, and the unit of
/// forces [kJ/mol/nm], a power of two.
template <class Real>
struct KernelSource {
  const ShortRange& numbers;
  const Real* table;
  double unit;
  [[nodiscard]] Real in_units(Real force) const { return force * static_cast<Real>(1 / unit); }
};

/// Defaults of a form. Each form defines besides:
///   name, title                    texts for messages: "a Wang-Frenkel potential"
///   machine_key                    key of the time of a pair in a machine's entry
///   kernel<Real>(source)           the kernel's parameters; with_kernels() if there are several
///   steepest_slope(numbers, r)           upper bound of |dU/dr| of any pair at r, decreasing with
///   r hard_core_nm(numbers, a, b, fraction)   smallest distance of two residues in a start
///   value(numbers, pair, r)        by standard functions, for the sequential reference
/// and, if a model can use it, build(ModelNumbers).
template <class Form>
struct FormDefaults {
  static constexpr bool has_type_columns = false;

  [[nodiscard]] static TypeColumns type_columns(const ShortRange& /*numbers*/,
                                                std::size_t /*type*/) {
    return {};
  }
  /// Returns the pair table of the kernel, (types, types, numbers per pair).
  [[nodiscard]] static std::vector<double> pair_table(const ShortRange& /*numbers*/) { return {}; }
  /// Returns what the kernel reads, in its precision; unit: of its forces.
  template <class Real>
  [[nodiscard]] static std::vector<Real> table(const ShortRange& numbers, double /*unit*/) {
    const auto exact = Form::pair_table(numbers);
    return {exact.begin(), exact.end()};
  }
  /// True if factors of sites take the place of domains in records.
  [[nodiscard]] static bool has_sites(const ShortRange& /*numbers*/) { return false; }
  /// True if kernels distinguish domains. On a GPU a tag without domains saves an instruction.
  [[nodiscard]] static bool depends_on_domains(const ShortRange& /*numbers*/) { return true; }
  /// Calls visit(force kernel, energy kernel).
  template <class Real, class Visit>
  static void with_kernels(const KernelSource<Real>& forces, const KernelSource<double>& energies,
                           const Visit& visit) {
    visit(Form::template kernel<Real>(forces), Form::template kernel<double>(energies));
  }
  /// Adds the parameters of a pair to the topology hash.
  template <class Hash>
  static void add_pair(Hash& hash, const TypePair& pair) {
    hash.add_all(pair.epsilon_kj_mol, pair.sigma_nm, pair.shape);
  }
};

}  // namespace nfold::pair_forms
