// Pair potentials as functions of the distance, as force-field files name them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "system/pair_forms/short_range.hpp"

namespace nfold::pair_forms {

/// Functions of a force-field file; function_entry() has their names and numbers.
enum class FunctionKind {
  ashbaugh_hatch,  ///< LJ + epsilon (1 - lambda) up to 2^(1/6) sigma, lambda LJ beyond it
  wang_frenkel,    ///< nu = 1, zero beyond 3 sigma; epsilon < 0: |U| above its minimum, 0 beyond it
  lennard_jones,   ///< 4 epsilon [(sigma/r)^12 - (sigma/r)^6]
  power_12_10,     ///< epsilon [5 (sigma/r)^12 - 6 (sigma/r)^10]
  power_10_5,      ///< 4 epsilon [(sigma/r)^10 - (sigma/r)^5]
  repulsion_12,    ///< epsilon (sigma/r)^12
  moff,            ///< alpha/r^12 - (epsilon/2)(1 + tanh(7/nm (0.8 nm - r)))
  yukawa,          ///< (amplitude/r) exp(-r/length)
  tabulated,       ///< nodes of a file, joined by a cubic spline
  expression       ///< an expression in r
};

/// A number of a function: its name in files with its unit, and its range.
struct FunctionNumber {
  std::string_view name;
  double lowest, highest;
};
struct FunctionEntry {
  std::string_view name;                    ///< "wang-frenkel"
  std::span<const FunctionNumber> numbers;  ///< order of PairFunction::numbers; expression: none
};
[[nodiscard]] const FunctionEntry& function_entry(FunctionKind kind);

/// A potential that a file defines: a table or an expression with its numbers.
class RadialFunction {
 public:
  RadialFunction() = default;
  RadialFunction(const RadialFunction&) = delete;
  RadialFunction& operator=(const RadialFunction&) = delete;
  virtual ~RadialFunction() = default;
  /// Energy [kJ/mol] at r > 0 [nm].
  [[nodiscard]] virtual double energy(double r_nm) const = 0;
  /// Slope dU/dr [kJ/mol/nm], by differences of the energy unless a class knows it better.
  [[nodiscard]] virtual double slope(double r_nm) const;
  /// Distances [nm] where a derivative of low order jumps, as far as they are known.
  [[nodiscard]] virtual std::vector<double> breaks_nm() const { return {}; }
  /// Hash of the text and numbers that define it, equal on every machine.
  [[nodiscard]] virtual std::uint64_t hash() const = 0;
};

/// End of a potential at its cutoff.
enum class CutoffForm {
  truncated,
  shifted,       ///< minus U(cutoff)
  smooth_step,   ///< times 1 - 10 x^3 + 15 x^4 - 6 x^5, x = (r - switch)/(cutoff - switch)
  force_matched  ///< COCOMO: U + k g(s) - U(s) below the switch s, k g(r) above it,
                 ///< g = (r^-3 - cutoff^-3)^2, k from equal slopes at s
};

/// One potential between two types.
struct PairFunction {
  FunctionKind kind = FunctionKind::lennard_jones;
  std::array<double, 4> numbers{};               ///< in the order of function_entry(kind).numbers
  std::shared_ptr<const RadialFunction> custom;  ///< set for tabulated and expression
  double factor = 1;
  double cutoff_nm = 0;
  CutoffForm cutoff_form = CutoffForm::truncated;
  double switch_nm = 0;  ///< smooth_step, force_matched
  /// Returns energy and slope by standard functions, nothing from the cutoff on.
  [[nodiscard]] PairValue at(double r_nm) const;
  /// Returns at() of the same function with a longer cutoff, shift and switch unchanged: a smooth
  /// continuation of a truncated function, and nothing beyond the cutoff of a switched one.
  [[nodiscard]] PairValue beyond_cutoff(double r_nm) const;
  /// Returns the energy of beyond_cutoff() [kJ/mol]; a slope by differences costs 24 energies.
  [[nodiscard]] double energy_beyond_cutoff(double r_nm) const;
  /// Returns the distances [nm] below the cutoff where a derivative of low order jumps.
  [[nodiscard]] std::vector<double> breaks_nm() const;
  /// Length [nm] that scales the function: functions of one kind and of the same shape are one
  /// function of r over it.
  [[nodiscard]] double length_nm() const;
};

}  // namespace nfold::pair_forms
