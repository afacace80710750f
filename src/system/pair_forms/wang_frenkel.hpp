// Wang-Frenkel potential: attraction tabulated by pair of types, which ends at three sigma.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "system/pair_forms/short_range.hpp"

namespace nfold::kernels {
template <class Real>
struct WangFrenkel;
}

namespace nfold::pair_forms {

/// U = A (y - 1)(y - 1/x)^2 for r < 3 sigma, y = (sigma/r)^(2 mu), x = 3^(2 mu),
/// A = epsilon (27/4)(1 - 1/x)^-3. Wang et al., Phys. Chem. Chem. Phys. 22, 10624 (2020), nu = 1.
struct WangFrenkel : FormDefaults<WangFrenkel> {
  static constexpr std::string_view name = "a Wang-Frenkel potential";
  static constexpr std::string_view title = "Wang-Frenkel";
  static constexpr std::string_view machine_key = "wang-frenkel";

  /// True if the kernel has this exponent.
  [[nodiscard]] static bool accepts_pair(const TypePair& pair) {
    return pair.shape == 2 || pair.shape == 4 || pair.shape == 11;
  }
  [[nodiscard]] static ShortRange build(const ModelNumbers& model) {
    ShortRange s;
    s.type_names = model.type_names;
    s.pairs = model.pairs;
    double largest = 0;
    for (const auto& pair : s.pairs) largest = std::max(largest, pair.sigma_nm);
    s.cutoff_over_sigma = cutoff_over_sigma;
    s.cutoff_nm = cutoff_over_sigma * largest;
    return s;
  }
  [[nodiscard]] static std::vector<double> pair_table(const ShortRange& s) {
    std::vector<double> table;
    table.reserve(4 * s.pairs.size());
    for (const auto& pair : s.pairs) {
      const auto [inverse_x, amplitude] = shape_of(pair);
      table.insert(table.end(), {pair.sigma_nm * pair.sigma_nm, amplitude, inverse_x, pair.shape});
    }
    return table;
  }
  template <class Real>
  [[nodiscard]] static kernels::WangFrenkel<Real> kernel(const KernelSource<Real>& from) {
    const auto& s = from.numbers;
    return {from.table, static_cast<int>(s.type_names.size()),
            static_cast<Real>(s.cutoff_nm * s.cutoff_nm), from.in_units(Real(2))};
  }

  [[nodiscard]] static double steepest_slope(const ShortRange& s, double r) {
    double largest = 0;
    for (const auto& pair : s.pairs) {
      const auto [inverse_x, amplitude] = shape_of(pair);
      const double y = std::pow(pair.sigma_nm / r, 2 * pair.shape);
      const double reach = std::max(y, inverse_x);
      largest = std::max(largest, 2 * pair.shape * y * std::abs(amplitude) * reach *
                                      (reach + 2 * std::max(y, 1.0)) / r);
    }
    return largest;
  }
  [[nodiscard]] static double hard_core_nm(const ShortRange& s, int a, int b, double fraction) {
    const auto& pair = s.pair(a, b);
    if (pair.shape <= 2) return fraction * pair.sigma_nm;
    // mu = 4 or 11: (sigma/r)^(2 mu) by square roots, which have the same bits on every machine.
    double root = std::sqrt(fraction);
    if (pair.shape > 4) root = std::sqrt(std::sqrt(root));  // 8 is a safe replacement of 11 / 2
    return root * pair.sigma_nm;
  }
  [[nodiscard]] static PairValue value(const ShortRange& s, const PairContext& context, double r) {
    const auto& pair = s.pair(context.first_type, context.second_type);
    const double mu = pair.shape;
    if (!(r < 3 * pair.sigma_nm)) return {};
    const double x = std::pow(3.0, 2 * mu), y = std::pow(pair.sigma_nm / r, 2 * mu);
    const double a = pair.epsilon_kj_mol * 6.75 * std::pow(1 - 1 / x, -3), b = y - 1 / x;
    return {true, a * (y - 1) * b * b, -2 * mu * y / r * a * b * (b + 2 * (y - 1))};
  }
  template <class Hash>
  static void add_pair(Hash& hash, const TypePair& pair) {
    hash.add_all(pair.epsilon_kj_mol, pair.sigma_nm, static_cast<int>(pair.shape));
  }

 private:
  static constexpr double cutoff_over_sigma = 3;
  struct Shape {
    double inverse_x, amplitude_kj_mol;
  };
  [[nodiscard]] static Shape shape_of(const TypePair& pair) {
    const double inverse_x = std::pow(3.0, -2 * pair.shape);
    return {inverse_x, pair.epsilon_kj_mol * 6.75 * std::pow(1 - inverse_x, -3)};
  }
};

}  // namespace nfold::pair_forms
