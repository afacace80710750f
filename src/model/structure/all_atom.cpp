// Covalent bonds between heavy atoms, from templates of the 20 residues.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/all_atom.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace nfold::structure {
namespace {

// Bonded atom pairs.
using Bonds = std::vector<std::pair<std::string_view, std::string_view>>;

/// Returns the bonds of a text such as "CB-CG CG-CD", which must outlive them.
Bonds parse_bonds(std::string_view text) {
  Bonds bonds;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size()), dash = text.find('-');
    bonds.emplace_back(text.substr(0, dash), text.substr(dash + 1, end - dash - 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return bonds;
}

const Bonds& backbone_bonds() {
  static const Bonds bonds = parse_bonds("N-CA CA-C C-O C-OXT CA-CB");
  return bonds;
}

const Bonds& side_chain_bonds(const std::string& residue) {
  static const std::unordered_map<std::string_view, Bonds> templates{
      {"ALA", {}},
      {"GLY", {}},
      {"ARG", parse_bonds("CB-CG CG-CD CD-NE NE-CZ CZ-NH1 CZ-NH2")},
      {"ASN", parse_bonds("CB-CG CG-OD1 CG-ND2")},
      {"ASP", parse_bonds("CB-CG CG-OD1 CG-OD2")},
      {"CYS", parse_bonds("CB-SG")},
      {"GLN", parse_bonds("CB-CG CG-CD CD-OE1 CD-NE2")},
      {"GLU", parse_bonds("CB-CG CG-CD CD-OE1 CD-OE2")},
      {"HIS", parse_bonds("CB-CG CG-ND1 CG-CD2 ND1-CE1 CD2-NE2 CE1-NE2")},
      {"ILE", parse_bonds("CB-CG1 CB-CG2 CG1-CD1")},
      {"LEU", parse_bonds("CB-CG CG-CD1 CG-CD2")},
      {"LYS", parse_bonds("CB-CG CG-CD CD-CE CE-NZ")},
      {"MET", parse_bonds("CB-CG CG-SD SD-CE")},
      {"PHE", parse_bonds("CB-CG CG-CD1 CG-CD2 CD1-CE1 CD2-CE2 CE1-CZ CE2-CZ")},
      {"PRO", parse_bonds("CB-CG CG-CD CD-N")},
      {"SER", parse_bonds("CB-OG")},
      {"THR", parse_bonds("CB-OG1 CB-CG2")},
      {"TRP", parse_bonds("CB-CG CG-CD1 CG-CD2 CD1-NE1 NE1-CE2 CD2-CE2 CD2-CE3 CE2-CZ2 CE3-CZ3 "
                          "CZ2-CH2 CZ3-CH2")},
      {"TYR", parse_bonds("CB-CG CG-CD1 CG-CD2 CD1-CE1 CD2-CE2 CE1-CZ CE2-CZ CZ-OH")},
      {"VAL", parse_bonds("CB-CG1 CB-CG2")}};
  static const Bonds none;
  const auto found = templates.find(residue);
  return found == templates.end() ? none : found->second;
}

// Returns the template's name of an atom whose name differs between files.
std::string_view template_name(const Residue& residue, std::string_view atom) {
  if (residue.name == "MET" && atom == "SE") return "SD";  // selenomethionine
  if (residue.name == "ILE" && atom == "CD") return "CD1";
  if (atom == "OT1" || atom == "O1") return "O";
  if (atom == "OT2" || atom == "O2") return "OXT";
  return atom;
}

void join(AllAtom& atoms, int a, int b) {
  if (a == b || atoms.are_bonded(a, b)) return;
  atoms.bonded[static_cast<std::size_t>(a)].push_back(b);
  atoms.bonded[static_cast<std::size_t>(b)].push_back(a);
}

int index_of(const Residue& residue, int first, std::string_view name) {
  for (std::size_t i = 0; i < residue.heavy_atoms.size(); ++i) {
    if (template_name(residue, residue.heavy_atoms[i].name) == name) {
      return first + static_cast<int>(i);
    }
  }
  return -1;
}

bool holds(const Bonds& bonds, std::string_view name) {
  return std::any_of(bonds.begin(), bonds.end(),
                     [&](const auto& bond) { return bond.first == name || bond.second == name; });
}

// Adds the bonds within a residue. `first`: index of the residue's first atom.
void bond_residue(AllAtom& atoms, const Residue& residue, int first) {
  for (const Bonds* bonds : {&backbone_bonds(), &side_chain_bonds(residue.name)}) {
    for (const auto& [one, other] : *bonds) {
      const int a = index_of(residue, first, one), b = index_of(residue, first, other);
      if (a >= 0 && b >= 0) join(atoms, a, b);
    }
  }
  constexpr double longest_bond_nm = 0.2;
  const auto at = [&](int atom) { return atoms.position_nm[static_cast<std::size_t>(atom)]; };
  const int end = first + static_cast<int>(residue.heavy_atoms.size());
  for (int a = first; a < end; ++a) {
    const auto name =
        template_name(residue, residue.heavy_atoms[static_cast<std::size_t>(a - first)].name);
    if (holds(backbone_bonds(), name) || holds(side_chain_bonds(residue.name), name)) continue;
    for (int b = first; b < end; ++b) {
      if (distance(at(a), at(b)) < longest_bond_nm) join(atoms, a, b);
    }
  }
}

}  // namespace

bool AllAtom::are_bonded(int a, int b) const {
  const auto& near = bonded[static_cast<std::size_t>(a)];
  return std::find(near.begin(), near.end(), b) != near.end();
}

bool AllAtom::within_dihedral(int a, int b) const {
  for (const int s : bonded[static_cast<std::size_t>(a)]) {
    if (s == b || are_bonded(s, b)) return true;
    for (const int t : bonded[static_cast<std::size_t>(s)]) {
      if (are_bonded(t, b)) return true;
    }
  }
  return false;
}

bool has_all_atoms(const Residue& residue) {
  const auto has = [&](std::string_view name) { return index_of(residue, 0, name) >= 0; };
  if (!has("N") || !has("C") || !has("O")) return false;
  if (residue.name != "GLY" && residue.name != "UNK" && !has("CB")) return false;
  const Bonds& bonds = side_chain_bonds(residue.name);
  return std::all_of(bonds.begin(), bonds.end(),
                     [&](const auto& bond) { return has(bond.first) && has(bond.second); });
}

AllAtom all_atoms(const Structure& structure) {
  AllAtom atoms;
  int residue_index = 0;
  for (std::size_t c = 0; c < structure.chains.size(); ++c) {
    int open_carbon = -1;  // carbonyl carbon to be bonded to the next residue's nitrogen
    int first_nitrogen = -1;
    for (const Residue& residue : structure.chains[c].residues) {
      const int first = atoms.size();
      for (const Atom& atom : residue.heavy_atoms) {
        atoms.position_nm.push_back(atom.position_nm);
        atoms.residue.push_back(residue_index);
        atoms.chain.push_back(static_cast<int>(c));
      }
      atoms.bonded.resize(atoms.position_nm.size());
      bond_residue(atoms, residue, first);
      const int nitrogen = index_of(residue, first, "N");
      if (open_carbon >= 0 && nitrogen >= 0) join(atoms, open_carbon, nitrogen);
      const bool is_first = &residue == &structure.chains[c].residues.front();
      const bool is_last = &residue == &structure.chains[c].residues.back();
      if (is_first) first_nitrogen = nitrogen;
      const int carbon = index_of(residue, first, "C");
      open_carbon = residue.bonded_to_next ? carbon : -1;
      const bool closes = is_last && structure.chains[c].is_closed;
      if (closes && carbon >= 0 && first_nitrogen >= 0) join(atoms, carbon, first_nitrogen);
      ++residue_index;
    }
  }
  return atoms;
}

}  // namespace nfold::structure
