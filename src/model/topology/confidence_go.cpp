// Weights of AF-CALVADOS: logistic functions of pLDDT and PAE.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/confidence_go.hpp"

#include <algorithm>

#include "model/structure/point.hpp"
#include "model/topology/exponential.hpp"

namespace nfold::topology {
namespace {

double logistic(double x) { return 1 / (1 + exponential(-x)); }

}  // namespace

PairConfidence pair_confidence(double plddt_i, double plddt_j, double pae_nm,
                               const ConfidenceGo& model) {
  constexpr double residual_centre = 0.1, residual_slope = 80;
  const double plddt = std::min(plddt_i, plddt_j);
  const double weight = logistic(model.plddt_slope * (plddt - model.plddt_centre)) *
                        logistic(-model.pae_slope_per_nm * (pae_nm - model.pae_centre_nm));
  return {weight, logistic(-residual_slope * (weight - residual_centre))};
}

WeightedContacts weighted_contacts(std::span<const std::array<double, 3>> position_nm,
                                   std::span<const int> chain_of,
                                   const structure::Confidence& confidence,
                                   const ConfidenceGo& model) {
  const std::size_t count = position_nm.size();
  WeightedContacts weighted;
  weighted.model_length_part.assign(count, 1);
  const auto confidence_of = [&](std::size_t i, std::size_t j) {
    return pair_confidence(confidence.plddt[i], confidence.plddt[j],
                           structure::angstrom_nm * confidence.symmetric_pae(i, j), model);
  };
  for (std::size_t i = 0; i + 1 < count; ++i) {
    weighted.model_length_part[i] = confidence_of(i, i + 1).model_length_part();
    for (std::size_t j = i + 2; j < count; ++j) {
      if (chain_of[i] != chain_of[j] && !model.between_chains) continue;
      const double distance = structure::distance(position_nm[i], position_nm[j]);
      if (!(distance <= model.cutoff_nm)) continue;
      const PairConfidence pair = confidence_of(i, j);
      if (pair.weight < least_contact_weight) continue;
      weighted.contacts.push_back({static_cast<int>(i), static_cast<int>(j), distance, pair.weight,
                                   pair.weight < largest_residual_weight ? pair.residual : 0});
    }
  }
  return weighted;
}

}  // namespace nfold::topology
