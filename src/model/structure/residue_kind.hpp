// Classification of residue names: amino acid and parent, water, nucleic acid, cap, other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nfold::structure {

enum class ResidueKind { amino_acid, modified, d_amino_acid, water, nucleic_acid, cap, other };

struct NamedResidue {
  ResidueKind kind = ResidueKind::other;
  std::string parent;  ///< amino acids: one of the 20, or "UNK"; else empty
};

/// Classifies a name by gemmi's table and by force field names of protonation states (HIE, CYX,
/// LYSH) and chain ends (NALA, GLYT).
[[nodiscard]] NamedResidue residue_kind(const std::string& name);

/// A nucleotide by its name: "A", "DA", "T", modified ones ("PSU": U), and names of AMBER ("RA5").
struct Nucleotide {
  char letter;  ///< ACGTU; of the parent
  bool is_dna;
};
[[nodiscard]] std::optional<Nucleotide> find_nucleotide(std::string name);

/// Converts a force field's four-letter name to three letters: "ASPP" to "ASH", "GLYT" and "NGLY"
/// to "GLY". Returns an empty text for other names.
[[nodiscard]] std::string three_letters(std::string_view name);

}  // namespace nfold::structure
