// Tables of a CALVADOS folder: residues, sequences, domains, custom restraints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::calvados {

/// A row of residues.csv.
struct ResidueRow {
  char letter = ' ';
  std::string three;
  double mass_amu = 0, lambda = 0, sigma_nm = 0, charge_e = 0, bond_length_nm = 0;
  [[nodiscard]] bool operator==(const ResidueRow&) const = default;
};
using ResidueRows = std::map<char, ResidueRow>;

/// Parses residues.csv, whose columns may stand in any order. `file` names it in errors. Any bytes
/// are safe. Throws core::InputError with file and line.
[[nodiscard]] ResidueRows parse_residues(std::string_view text, const std::string& file);

/// Returns the sequence of a FASTA record, its letters as they stand there. Throws
/// core::InputError.
[[nodiscard]] std::string find_sequence(std::string_view text, const std::string& record,
                                        const std::string& file);

/// Returns the domains of a component in domains.yaml: the indices of its residues, from 0. Throws
/// core::InputError.
[[nodiscard]] std::vector<std::vector<int>> parse_domains(std::string_view text,
                                                          const std::string& component,
                                                          std::size_t residues,
                                                          const std::string& file);

/// A bead of a custom restraint, all numbers from 1.
struct RestrainedBead {
  std::string component;
  int copy = 0, bead = 0;
};
struct CustomRestraint {
  std::array<RestrainedBead, 2> beads;
  double distance_nm = 0, k = 0;
  int line = 0;
};
/// Parses lines "NAME COPY BEAD | NAME COPY BEAD | r k". Throws core::InputError.
[[nodiscard]] std::vector<CustomRestraint> parse_custom_restraints(std::string_view text,
                                                                   const std::string& file);

}  // namespace nfold::calvados
