// Kim-Hummer potential: attraction or repulsion from contact energies of residue types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "system/pair_forms/ashbaugh_hatch.hpp"

namespace nfold::kernels {
template <class Real>
struct KimHummer;
}

namespace nfold::pair_forms {

/// Ashbaugh-Hatch potential with numbers for each pair; TypePair::shape is lambda. Kim and Hummer,
/// J. Mol. Biol. 375, 1416 (2008), have lambda = 1 for pairs that attract each other, else -1.
struct KimHummer : FormDefaults<KimHummer> {
  static constexpr std::string_view name = "a Kim-Hummer potential";
  static constexpr std::string_view title = "Kim-Hummer";
  static constexpr std::string_view machine_key = "kim-hummer";

  [[nodiscard]] static ShortRange build(const ModelNumbers& model) {
    ShortRange s;
    s.pairs = model.pairs;
    double largest = 0;
    for (const auto& pair : s.pairs) largest = std::max(largest, pair.sigma_nm);
    set_options(model, largest, s);
    return s;
  }
  [[nodiscard]] static std::vector<double> pair_table(const ShortRange& s) {
    std::vector<double> table;
    table.reserve(4 * s.pairs.size());
    for (const auto& pair : s.pairs) {
      const double cutoff = pair_cutoff_nm(s, pair.sigma_nm);
      table.insert(table.end(), {pair.sigma_nm * pair.sigma_nm, pair.epsilon_kj_mol, pair.shape,
                                 cutoff * cutoff});
    }
    return table;
  }
  template <class Real>
  [[nodiscard]] static kernels::KimHummer<Real> kernel(const KernelSource<Real>& from) {
    const auto& s = from.numbers;
    return {from.table, static_cast<int>(s.type_names.size()), from.in_units(Real(24)), s.shifted,
            s.domains_only_repel};
  }

  [[nodiscard]] static double steepest_slope(const ShortRange& s, double r) {
    double largest = 0;
    for (const auto& pair : s.pairs) {
      const double q3 = std::pow(pair.sigma_nm / r, 6);
      const double strength = std::max(1.0, std::abs(pair.shape)) * pair.epsilon_kj_mol;
      largest = std::max(largest, strength * 24 * (2 * q3 + 1) * q3 / r);
    }
    return largest;
  }
  [[nodiscard]] static double hard_core_nm(const ShortRange& s, int a, int b, double fraction) {
    return fraction * s.pair(a, b).sigma_nm;
  }
  [[nodiscard]] static PairValue value(const ShortRange& s, const PairContext& context, double r) {
    const auto& pair = s.pair(context.first_type, context.second_type);
    const bool only_repels = s.domains_only_repel && context.is_in_one_domain;
    return ashbaugh_hatch_value(s, pair.epsilon_kj_mol, pair.sigma_nm, only_repels ? 0 : pair.shape,
                                r);
  }
};

}  // namespace nfold::pair_forms
