// The numbers of a short-range potential, and what every form may be asked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::pair_forms {

/// Place of a form in the list of pair_forms.hpp.
enum class ShortRangeForm : int;

/// Of a pair of types, where a form has numbers of its own for each.
struct PairOfTypes {
  double epsilon_kj_mol = 0, sigma_nm = 0;
  double shape = 0;  ///< wang_frenkel: mu, which is 2, 4 or 11; kim_hummer: lambda
};

/// Acts between all pairs that are not excluded. Each form says which of the numbers it reads.
struct ShortRange {
  ShortRangeForm form{};         ///< the first: repulsion_12
  double epsilon_kj_mol = 0;     ///< repulsion_12, ashbaugh_hatch
  double sigma_nm = 0.4;         ///< repulsion_12
  double cutoff_nm = 1.1;        ///< longest range of any pair
  double cutoff_over_sigma = 0;  ///< > 0: a pair ends at this times its sigma (and at cutoff_nm)
  bool shifted = false;
  /// Pairs within one folded domain that are not excluded take lambda = 0: they only repel.
  bool domains_only_repel = false;
  std::vector<double> type_sigma_nm, type_lambda;  ///< (types) ashbaugh_hatch
  std::vector<PairOfTypes> pairs;       ///< (types, types), symmetric; wang_frenkel, kim_hummer
  std::vector<std::string> type_names;  ///< (types)

  [[nodiscard]] const PairOfTypes& pair(int a, int b) const {
    return pairs[static_cast<std::size_t>(a) * type_names.size() + static_cast<std::size_t>(b)];
  }
};

/// What a model's table and options hand a form.
struct ModelNumbers {
  struct Pair {
    std::size_t first, second;    ///< types
    std::span<const double> row;  ///< numbers of the table's row, as PairRow says
  };
  std::vector<std::string> type_names;
  std::vector<double> type_sigma_nm, type_lambda;  ///< (types)
  std::vector<Pair> pairs;                         ///< each pair of types once
  double epsilon_kj_mol = 0, lambda_offset = 0;
  std::vector<double> constants;  ///< in the order of the form's own
  double cutoff_nm = 0, cutoff_over_sigma = 0;
  bool shifted = false, domains_only_repel = false;
};

/// What a form asks of a model's table.
struct TableNeeds {
  bool type_sigma = false, epsilon = false;
};
/// A constant that only this form reads: a key of the table.
struct TableConstant {
  std::string_view name;
  double lowest, highest;
};
/// A row of `pairs` behind both names; no numbers: the form has no such rows.
struct PairRow {
  std::size_t numbers = 0;
  std::string_view shown, accepted;  ///< "[ALA, GLY, epsilon]", "epsilon from 0 to 1000 kJ/mol"
};

/// Halves of a type's sigma and lambda, which kernels add up for a pair.
struct TypeColumns {
  double half_sigma_nm = 0, half_lambda = 0;
};

/// Which pair a value is wanted of.
struct PairPlace {
  int first_type, second_type;
  bool is_in_one_domain;
};
/// Energy [kJ/mol] and dU/dr [kJ/mol/nm]; acts: the pair is within its cutoff.
struct PairValue {
  bool acts = false;
  double energy = 0, slope = 0;
};

/// What kernels are made from: the table of pairs in their own precision, and the unit of forces
/// [kJ/mol/nm], a power of two.
template <class Real>
struct KernelSource {
  const ShortRange& numbers;
  const Real* table;
  double unit;
  [[nodiscard]] Real in_units(Real force) const { return force * static_cast<Real>(1 / unit); }
};

/// What a form says unless it says otherwise. Beside these each one has
///   name, title                    as messages need them: "a Wang-Frenkel potential"
///   kernel<Real>(source)           the kernel's numbers; with_kernels() where there are several
///   steepest(numbers, r)           at least |dU/dr| of any pair at r, falling with r
///   hard_core_nm(numbers, a, b, fraction)   how near two residues may start
///   value(numbers, pair, r)        by standard functions, for the sequential reference
/// and, where a model can have it, table_name and build(ModelNumbers).
template <class Form>
struct FormDefaults {
  static constexpr std::string_view table_name{};  // none: no table has this form
  static constexpr TableNeeds needs{};
  static constexpr std::span<const TableConstant> constants{};
  static constexpr PairRow pair_row{};
  /// Its cutoffs are part of its definition: an input may not choose others.
  static constexpr bool has_own_cutoff = false;
  /// It can leave out attraction within a folded domain.
  static constexpr bool knows_domains = false;
  static constexpr bool has_type_columns = false;

  [[nodiscard]] static bool accepts_pair(std::span<const double> /*row*/) { return false; }
  [[nodiscard]] static TypeColumns type_columns(const ShortRange& /*numbers*/,
                                                std::size_t /*type*/) {
    return {};
  }
  /// For the kernel: (types, types, as many as it reads).
  [[nodiscard]] static std::vector<double> pair_table(const ShortRange& /*numbers*/) { return {}; }
  /// Whether kinds tell domains apart; on a GPU a tag without them saves an instruction.
  [[nodiscard]] static bool looks_at_domains(const ShortRange& /*numbers*/) { return true; }
  /// Calls visit(kernel of the forces, kernel of the energies).
  template <class Real, class Visit>
  static void with_kernels(const KernelSource<Real>& forces, const KernelSource<double>& energies,
                           const Visit& visit) {
    visit(Form::template kernel<Real>(forces), Form::template kernel<double>(energies));
  }
  /// What of a pair enters the hash of a topology.
  template <class Hash>
  static void add_pair(Hash& hash, const PairOfTypes& pair) {
    hash.add_all(pair.epsilon_kj_mol, pair.sigma_nm, pair.shape);
  }
};

}  // namespace nfold::pair_forms
