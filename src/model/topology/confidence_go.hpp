// Go contacts of a predicted structure, weighted by its confidence, as in AF-CALVADOS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/structure/confidence.hpp"

namespace nfold::topology {

/// Constants of von Buelow et al., Protein Sci. 35, e70694 (2026).
struct ConfidenceGo {
  double cutoff_nm = 0.9;                       ///< pairs up to this reference distance
  double epsilon_kj_mol = 15;                   ///< depth of a contact of weight 1
  double plddt_centre = 80, plddt_slope = 0.5;  ///< [pLDDT], [1/pLDDT]
  double pae_centre_nm = 0.3, pae_slope_per_nm = 15;
  bool between_chains = false;  ///< also contacts between chains
};

inline constexpr double least_contact_weight = 0.05;     ///< a pair of less has no contact
inline constexpr double largest_residual_weight = 0.15;  ///< a pair of more has no residual

/// w = s(plddt_slope (min(p_i, p_j) - plddt_centre)) s(-pae_slope (e - pae_centre)) with the
/// logistic function s and e the mean of both PAE; residual v = s(-80 (w - 0.1)).
struct PairConfidence {
  double weight = 0, residual = 1;

  /// Returns the part of the model's own bond length in that of a bond between the two, the rest
  /// being the reference distance: 1 below least_contact_weight, 0 above largest_residual_weight,
  /// between them the residual.
  [[nodiscard]] double model_length_part() const {
    if (weight < least_contact_weight) return 1;
    return weight > largest_residual_weight ? 0 : residual;
  }
};

/// Returns the confidence of a pair. plddt: 0 to 100; pae_nm: mean of both directions.
[[nodiscard]] PairConfidence pair_confidence(double plddt_i, double plddt_j, double pae_nm,
                                             const ConfidenceGo& model);

/// U = epsilon weight [5 (d/r)^12 - 6 (d/r)^10] of residues i < j, which are excluded from the pair
/// potentials; plus, if residual > 0, residual times their Ashbaugh-Hatch and Debye-Hueckel terms,
/// shifted at the cutoff but not truncated there.
struct WeightedContact {
  int i, j;
  double distance_nm, weight;
  double residual;  ///< 0 unless weight < largest_residual_weight
};

/// Terms of one molecule.
struct WeightedContacts {
  std::vector<WeightedContact> contacts;  ///< sorted by (i, j), j - i >= 2
  /// (residues) PairConfidence::model_length_part() of the bond of a residue with the next; 1 for
  /// the last.
  std::vector<double> model_length_part;
};

/// Returns the contacts and lengths. position_nm: (residues) reference coordinates of the beads;
/// chain_of: (residues). `confidence` has pLDDT and PAE.
[[nodiscard]] WeightedContacts weighted_contacts(std::span<const std::array<double, 3>> position_nm,
                                                 std::span<const int> chain_of,
                                                 const structure::Confidence& confidence,
                                                 const ConfidenceGo& model);

}  // namespace nfold::topology
