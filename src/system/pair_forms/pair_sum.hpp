// Sum of the pair functions of two types, as tables take it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "system/pair_forms/pair_function.hpp"

namespace nfold::pair_forms {

/// Sum of the functions of a pair, continued by a core at short distances.
class PairSum {
 public:
  /// The functions must outlive it. name: of the pair of types, in errors. Throws
  /// std::runtime_error if the sum is not finite in its range.
  PairSum(const std::vector<PairFunction>& functions, std::string name);
  [[nodiscard]] double cutoff_nm() const { return cutoff_nm_; }
  /// Distance that divides the pair into two halves.
  [[nodiscard]] double split_nm() const { return split_nm_; }
  /// Scales of both halves: a derivative of low order may jump there.
  [[nodiscard]] double inner_scale_nm() const { return inner_scale_nm_; }
  [[nodiscard]] double outer_scale_nm() const { return outer_scale_nm_; }
  /// Shortest distance at which the table is exact.
  [[nodiscard]] double shortest_nm() const { return exact_nm_; }
  /// Distance at which the core begins; 0: none.
  [[nodiscard]] double core_nm() const { return core_nm_; }
  /// True if the function is smooth beyond its cutoff too.
  [[nodiscard]] bool continues() const { return continues_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] double energy(double r) const;
  [[noreturn]] void refuse(
      double r, const std::string& problem,
      const std::string& remedy = "it must be finite and have a continuous force there") const;

 private:
  /// The longest functions continue beyond their cutoff.
  [[nodiscard]] bool counts(const PairFunction& f, double r) const {
    return r < f.cutoff_nm || f.cutoff_nm >= cutoff_nm_ * (1 - 1e-12);
  }
  [[nodiscard]] PairValue value(double r) const;
  /// Finds where the core begins and where the table must be exact. Returns the longest distance at
  /// which the force changes from repulsion to attraction; 0: none.
  [[nodiscard]] double find_core();
  void begin_core(double r, const PairValue& at);
  void choose_scales(double zero_nm);
  /// Returns the ascending distances where functions end or have a known break.
  [[nodiscard]] std::vector<double> known_breaks_nm() const;
  /// Returns the distances where the force of an expression has a kink, apart from known breaks.
  /// Refuses jumps.
  [[nodiscard]] std::vector<double> kinks_nm(const std::vector<double>& known_nm) const;
  /// Returns the distance of a kink, known to 1e-5.
  [[nodiscard]] double refined_kink(double r) const;
  /// Returns the second difference of the slope: the jump of the slope, or its kink.
  [[nodiscard]] double unevenness(double r) const;
  /// Returns the distance without force between r, where there is repulsion, and the next one where
  /// there is none.
  [[nodiscard]] double refined_zero(double r) const;

  const std::vector<PairFunction>& functions_;
  std::string name_;
  double cutoff_nm_ = 0, core_nm_ = 0, exact_nm_ = 0, core_force_over_12_ = 0;
  double split_nm_ = 0, inner_scale_nm_ = 0, outer_scale_nm_ = 0;
  bool continues_ = false;
  PairValue core_;
};

}  // namespace nfold::pair_forms
