// Kim-Hummer potential: attraction or repulsion from contact energies of residue types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "system/pair_forms/ashbaugh_hatch.hpp"

namespace nfold::kernels {
template <class Real>
struct KimHummer;
}

namespace nfold::pair_forms {

/// Ashbaugh-Hatch potential with epsilon = |scale (e - offset)| for a pair with the contact energy
/// e, lambda = 1 for e below the offset (attraction) and -1 otherwise (repulsion). Kim and Hummer,
/// J. Mol. Biol. 375, 1416 (2008); in this form Dignon et al., PLoS Comput. Biol. 14, e1005941
/// (2018). TypePair::shape is lambda.
struct KimHummer : FormDefaults<KimHummer> {
  static constexpr std::string_view name = "a Kim-Hummer potential";
  static constexpr std::string_view title = "Kim-Hummer";
  static constexpr std::string_view machine_key = "kim-hummer";
  static constexpr std::string_view table_name = "kim-hummer";
  static constexpr TableNeeds needs{.type_sigma = true};
  /// least_kj_mol bounds epsilon from below, which keeps an excluded volume where e is the offset.
  enum Constant : std::size_t { unit_kj_mol, scale, offset, least_kj_mol };
  static constexpr std::array<TableNumber, 4> constants{{{"contact_energy_unit_kj_mol", 0, 1000},
                                                         {"contact_energy_scale", 0, 100},
                                                         {"contact_energy_offset", -1000, 1000},
                                                         {"least_epsilon_kj_mol", 0, 1000}}};
  static constexpr PairRow pair_row{1, "[ALA, GLY, contact energy]",
                                    "the energy from -1000 to 1000, in contact_energy_unit_kj_mol"};
  static constexpr bool supports_domains = true;

  [[nodiscard]] static bool accepts_pair(std::span<const double> row) {
    return std::abs(row[0]) <= 1000;
  }
  [[nodiscard]] static ShortRange build(const ModelNumbers& model) {
    const auto& c = model.constants;
    ShortRange s;
    const auto types = model.type_names.size();
    s.pairs.assign(types * types, {});
    double largest = 0;
    for (const auto& pair : model.pairs) {
      const double above = pair.row[0] - c[offset];
      const double epsilon = std::max(c[least_kj_mol], std::abs(c[scale] * above * c[unit_kj_mol]));
      const double sigma =
          0.5 * (model.type_sigma_nm[pair.first] + model.type_sigma_nm[pair.second]);
      s.pairs[pair.first * types + pair.second] =
          s.pairs[pair.second * types + pair.first] = {epsilon, sigma, above < 0 ? 1.0 : -1.0};
      largest = std::max(largest, sigma);
    }
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
