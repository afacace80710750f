// Potentials that a force-field file defines by a table, an expression or a dielectric function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/expression.hpp"
#include "system/pair_forms/pair_function.hpp"

namespace nfold::input {

/// Shortest distance [nm] at which functions of a file must be finite.
inline constexpr double shortest_checked_nm = 0.1;
/// Returns the first of 200 distances up to the cutoff for which `is_wrong`; nullopt if none is.
[[nodiscard]] std::optional<double> find_in_range(double cutoff_nm,
                                                  const std::function<bool(double)>& is_wrong);

/// Cubic spline with no curvature at both ends, through r [nm], U [kJ/mol]. Below the first node it
/// is the line of its slope there.
class TabulatedFunction : public pair_forms::RadialFunction {
 public:
  /// Rows of two numbers in CSV or separated by blanks; empty lines, lines of # and one header are
  /// skipped. `file` names the text in errors. Throws core::InputError.
  TabulatedFunction(std::string_view text, const std::string& file);

  [[nodiscard]] double energy(double r_nm) const override;
  [[nodiscard]] double slope(double r_nm) const override;
  [[nodiscard]] std::vector<double> breaks_nm() const override { return r_; }
  [[nodiscard]] std::uint64_t hash() const override;
  [[nodiscard]] double last_nm() const { return r_.back(); }

 private:
  void make_spline();
  [[nodiscard]] std::size_t interval(double r_nm) const;
  std::vector<double> r_, u_, curvature_;
};

/// An expression in r with fixed values of its other names.
class ExpressionFunction : public pair_forms::RadialFunction {
 public:
  /// values: order of expression.names(); that of r is ignored.
  ExpressionFunction(Expression expression, std::vector<double> values)
      : expression_(std::move(expression)), values_(std::move(values)) {}
  [[nodiscard]] double energy(double r_nm) const override;
  [[nodiscard]] std::uint64_t hash() const override;

 private:
  Expression expression_;
  std::vector<double> values_;
};

/// Two unit charges in a solvent whose dielectric constant D(r) is an expression:
/// (coulomb/(D r)) exp(-kappa r), kappa^2 = salt/D or fixed.
class DielectricFunction : public pair_forms::RadialFunction {
 public:
  struct Screening {
    double salt_per_nm2 = 0;  ///< kappa^2 D
    double kappa_per_nm = 0;  ///< if salt_per_nm2 is 0
  };
  DielectricFunction(Expression dielectric, std::vector<double> values, double coulomb_kj_mol_nm,
                     Screening screening)
      : dielectric_(std::move(dielectric), std::move(values)),
        coulomb_kj_mol_nm_(coulomb_kj_mol_nm),
        screening_(screening) {}
  [[nodiscard]] double energy(double r_nm) const override;
  [[nodiscard]] std::uint64_t hash() const override;
  [[nodiscard]] double dielectric(double r_nm) const { return dielectric_.energy(r_nm); }

 private:
  ExpressionFunction dielectric_;
  double coulomb_kj_mol_nm_;
  Screening screening_;
};

}  // namespace nfold::input
