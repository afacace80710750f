// Backbones of proteins and nucleic acids: atoms that stand for a residue, and bonds along a chain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "model/structure/point.hpp"
#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

// A peptide bond is 0.133 nm, neighbouring alpha carbons 0.38 nm (trans) or 0.29 nm (cis) apart.
inline constexpr double longest_peptide_bond_nm = 0.2;
inline constexpr double longest_calpha_step_nm = 0.45;
// The bond from O3' to P is 0.16 nm, neighbouring P atoms are 0.5 to 0.75 nm apart.
inline constexpr double longest_ester_bond_nm = 0.2;
inline constexpr double longest_phosphorus_step_nm = 0.85;

/// Returns the position of an atom; null: none.
template <typename Atoms>
const Point* find_atom(const Atoms& atoms, std::string_view name) {
  for (const auto& atom : atoms) {
    if (atom.name == name) return &atom.position_nm;
  }
  return nullptr;
}

/// True if a peptide bond joins the second residue to the first; of C-alpha atoms alone, by their
/// distance.
template <typename Atoms, typename OtherAtoms>
bool peptide_bonded(const Atoms& first, const OtherAtoms& second) {
  const Point *c = find_atom(first, "C"), *n = find_atom(second, "N");
  if (c != nullptr && n != nullptr) {
    return distance(*c, *n) < longest_peptide_bond_nm;
  }
  const Point *a = find_atom(first, "CA"), *b = find_atom(second, "CA");
  return a != nullptr && b != nullptr && distance(*a, *b) < longest_calpha_step_nm;
}

/// Returns the atom that stands for a nucleotide's backbone: P, or the first behind it at a 5' end.
template <typename Atoms>
const Point* find_backbone(const Atoms& atoms) {
  for (const char* name : {"P", "O5'", "O5*", "C5'", "C5*", "C4'", "C4*", "C1'", "C1*"}) {
    if (const Point* const at = find_atom(atoms, name)) return at;
  }
  return nullptr;
}

/// True if a phosphate joins the second nucleotide to the first; without O3' and P, by the distance
/// of the atoms that stand for both.
template <typename Atoms, typename OtherAtoms>
bool ester_bonded(const Atoms& first, const OtherAtoms& second) {
  const Point *o = find_atom(first, "O3'"), *p = find_atom(second, "P");
  if (o == nullptr) o = find_atom(first, "O3*");
  if (o != nullptr && p != nullptr) return distance(*o, *p) < longest_ester_bond_nm;
  const Point *a = find_backbone(first), *b = find_backbone(second);
  return a != nullptr && b != nullptr && distance(*a, *b) < longest_phosphorus_step_nm;
}

/// Returns the atom at the position of a residue in a chain.
inline const Point* find_position(const RawResidue& r) {
  return r.is_nucleotide ? find_backbone(r.atoms) : find_atom(r.atoms, "CA");
}

/// True for two bonded residues of a protein, or two bonded nucleotides.
inline bool bonded_in_chain(const RawResidue& first, const RawResidue& second) {
  if (first.is_nucleotide != second.is_nucleotide) return false;
  return first.is_nucleotide ? ester_bonded(first.atoms, second.atoms)
                             : peptide_bonded(first.atoms, second.atoms);
}

/// True for a residue that becomes part of a chain.
inline bool is_kept(const RawResidue& r) { return r.is_protein || r.is_nucleotide; }

/// True for bonded residues of a chain of amino acids.
inline bool bonded_neighbours(const RawResidue& first, const RawResidue& second) {
  return first.chain == second.chain && peptide_bonded(first.atoms, second.atoms);
}

}  // namespace nfold::structure
