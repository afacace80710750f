// What a residue's name says: amino acid and its parent, water, nucleic acid, cap or other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace nfold::structure {

enum class ResidueKind { amino_acid, modified, d_amino_acid, water, nucleic_acid, cap, other };

struct NamedResidue {
  ResidueKind kind = ResidueKind::other;
  std::string parent;  ///< of amino acids: one of the 20, or "UNK"; else empty
};

/// By gemmi's table, and by the names that force fields give to protonation states (HIE, CYX, LYSH)
/// and to the ends of chains (NALA, GLYT).
[[nodiscard]] NamedResidue residue_kind(const std::string& name);

/// The three letters that say the same as a force field's four: "ASH" of "ASPP", "GLY" of "GLYT"
/// and "NGLY"; empty for a name that is none.
[[nodiscard]] std::string three_letters(std::string_view name);

}  // namespace nfold::structure
