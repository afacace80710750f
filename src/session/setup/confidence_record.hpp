// Confidence and domains of predicted structures, recorded for the report of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::setup {

/// Confidence of a molecule of a species.
struct ConfidenceRecord {
  std::string species;
  std::vector<std::string> chains;  ///< names, in the order of the residues
  std::vector<int> chain_sizes;     ///< (chains)
  std::vector<int> numbers;         ///< (residues) of the structure file
  std::vector<int> domains;         ///< (residues) from 1; 0: none
  std::vector<double> plddt;        ///< (residues)
  int block_residues = 1;           ///< residues along an edge of a block of the PAE
  /// (blocks, blocks) mean PAE [angstrom] of blocks of residues, at most largest_edge blocks along
  /// an edge, enough for a picture; empty if unknown.
  std::vector<double> pae_angstrom;
};
inline constexpr int largest_edge = 500;

/// Returns the record of a structure with pLDDT. domain_of: (residues) from 0, -1: none; empty: no
/// residue is in a domain.
[[nodiscard]] ConfidenceRecord make_confidence_record(const std::string& species,
                                                      const structure::Structure& molecule,
                                                      const std::vector<int>& domain_of);

/// Returns the records as JSON, numbers with two decimals.
[[nodiscard]] std::string to_json(const std::vector<ConfidenceRecord>& records);

}  // namespace nfold::setup
