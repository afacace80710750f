// Energies of AICG2+ from the atoms of two residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/structure/structure.hpp"

namespace nfold::topology {

/// True if two heavy atoms are nearer than 0.65 nm: a native contact of AICG2+.
[[nodiscard]] bool have_aicg_contact(const structure::Residue& first,
                                     const structure::Residue& second);

/// Returns the strength of the contacts between two residues [kJ/mol], 0.5 to 5 kcal/mol: a sum
/// over pairs of heavy atoms by their class (Li, Wang and Takada, PNAS 111, 10550 (2014)). The
/// factor of a native contact, a 1-3 well or a 1-4 well is not applied.
[[nodiscard]] double aicg_strength_kj_mol(const structure::Residue& first,
                                          const structure::Residue& second);

}  // namespace nfold::topology
