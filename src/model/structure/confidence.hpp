// Confidence of a predicted structure: pLDDT of residues and PAE of pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nfold::structure {

/// Confidence of a predicted structure, by consecutive residue index over all chains.
struct Confidence {
  std::vector<double>
      plddt;  ///< (residues) 0 to 100, Jumper et al., Nature 596, 583 (2021); or empty
  /// (residues, residues) predicted aligned error [angstrom]: row i, column j is the error of
  /// residue j when the prediction is aligned on residue i. Not symmetric. Empty if unknown.
  std::vector<double> pae_angstrom;

  [[nodiscard]] bool has_plddt() const { return !plddt.empty(); }
  [[nodiscard]] bool has_pae() const { return !pae_angstrom.empty(); }
  /// Returns the mean of both directions [angstrom].
  [[nodiscard]] double symmetric_pae(std::size_t i, std::size_t j) const {
    const std::size_t count = plddt.size();
    return (pae_angstrom[i * count + j] + pae_angstrom[j * count + i]) / 2;
  }
};

}  // namespace nfold::structure
