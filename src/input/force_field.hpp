// Force field: beads, pair terms, chain kinds and networks, evaluated at the conditions of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "system/pair_forms/pair_function.hpp"

namespace nfold::input {

/// Conditions at which the numbers of a force field are evaluated, once, at the start.
struct Conditions {
  double temperature_kelvin = 300, ionic_strength_molar = 0.15, ph = 7.5;
};

/// A bead type. With folded_types, types n .. 2n - 1 are the same beads in folded domains.
struct BeadType {
  std::string name;  ///< "ALA", "SEP", "RP"; scoped to the force field
  double mass_amu = 0, charge_e = 0;
  double reference_area_nm2 = 0;  ///< for site factors from surface areas; 0: none
};

/// A pair term with the numbers of each pair of types, after mixing, rows, overrides and factors.
struct PairTerm {
  std::string name;  ///< "contact", "charges", "cation_pi"
  pair_forms::FunctionKind kind{};
  /// (types, types), symmetric; nullopt: the term does not act between the two types.
  std::vector<std::optional<pair_forms::PairFunction>> functions;
  bool has_site_factor = false;  ///< times the factors of both beads
  /// sigma and lambda are means of both types' numbers, without rows or overrides
  bool mixes_means = false;
};

/// A bonded term of a chain kind. `beads` are indices into ChainKind::monomer, `monomers` offsets
/// of their monomers: 0, 1 ("next"), 2 ("next next").
struct ChainTerm {
  std::vector<int> beads, monomers;
  double length_nm = 0, theta0_rad = 0, k = 0;  ///< [kJ/mol/nm^2] or [kJ/mol/rad^2]
  // Local pairs only: a pair term between neighbours, with its own sigma and a factor.
  std::string term;
  double sigma_nm = 0, factor = 1, shift_cutoff_nm = 0;
};

/// How monomers of a chain are joined: protein, rna, peg.
struct ChainKind {
  std::string name;
  std::vector<std::string> monomer;  ///< bead names; empty: one bead, named by the residue
  std::vector<ChainTerm> bonds, angles, local_pairs;
  bool excludes_bonds = true, excludes_angle_ends = false, excludes_local_pairs = false;
  bool has_charged_ends = false;
  double first_mass_amu = 0, last_mass_amu = 0;
};

}  // namespace nfold::input
