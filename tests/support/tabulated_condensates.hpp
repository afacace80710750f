// The condensate of condensates.hpp with tabulated potentials in place of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "support/condensates.hpp"

namespace nfold::test {

enum class TabulatedPairKind {
  mixed,  ///< one curve, scaled by the sums of types' numbers
  pairs,  ///< several terms with numbers of each pair
  sites   ///< the same, with a factor of each residue
};
enum class TabulatedChargeKind { none, products, types };

/// Replaces the potentials: Ashbaugh-Hatch pairs with the numbers of condensate(), and for all but
/// `mixed` a Lennard-Jones or a switched 10-5 potential in addition.
inline topology::Topology tabulated(topology::Topology t, TabulatedPairKind pairs,
                                    TabulatedChargeKind charges = TabulatedChargeKind::none) {
  using pair_forms::CutoffForm, pair_forms::FunctionKind, pair_forms::PairFunction;
  const topology::ShortRange old = t.short_range;
  const auto types = old.type_names.size();
  const double cutoff = old.cutoff_nm;
  const auto form = old.shifted ? CutoffForm::shifted : CutoffForm::truncated;
  std::vector<std::vector<PairFunction>> functions(types * types), screened(types * types);
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      const double sigma = 0.5 * (old.type_sigma_nm[a] + old.type_sigma_nm[b]);
      const double lambda = 0.5 * (old.type_lambda[a] + old.type_lambda[b]);
      auto& all = functions[a * types + b];
      all.push_back({FunctionKind::ashbaugh_hatch,
                     {old.epsilon_kj_mol, sigma, lambda},
                     nullptr,
                     1,
                     cutoff,
                     form});
      const double amplitude = (a + b) % 4 == 0 ? -1.7 : 1.1;
      screened[a * types + b] = {
          {FunctionKind::yukawa, {amplitude, 0.79}, nullptr, 1, 2.2, CutoffForm::truncated}};
      if (pairs == TabulatedPairKind::mixed) continue;
      if ((a + b) % 3 == 0) {
        all.push_back({FunctionKind::lennard_jones, {1.3, sigma}, nullptr, 0.7, cutoff});
      } else if ((a + b) % 3 == 1) {
        all = {{FunctionKind::power_10_5,
                {0.5, sigma},
                nullptr,
                1,
                cutoff,
                CutoffForm::force_matched,
                0.9 * cutoff}};
      }
    }
  }
  t.short_range = pair_forms::TabulatedPairs::make(std::move(functions), old.type_names,
                                                   topology::ShortRangeForm::tabulated);
  if (pairs == TabulatedPairKind::sites) {
    t.short_range.site_factors = {0.5, 0.8, 1.1};
    for (std::size_t i = 0; i < t.residues.size(); ++i) {
      t.residues.items()[i].site = static_cast<int>(i % 4) - 1;
    }
  }
  if (charges == TabulatedChargeKind::none) return t;
  auto& e = t.electrostatics;
  e = {1, 0, 2.2, false};
  if (charges == TabulatedChargeKind::types) {
    e.tabulated = pair_forms::tabulate(std::move(screened), old.type_names);
  } else {
    e.multiplies_charges = true;
    const std::vector<std::string> one{"unit charges"};
    e.tabulated = pair_forms::tabulate(
        {{{FunctionKind::yukawa, {1.7, 0.8}, nullptr, 1, 2.2, CutoffForm::smooth_step, 1.5}}}, one);
  }
  return t;
}

}  // namespace nfold::test
