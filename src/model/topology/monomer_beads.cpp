// Search for the beads of a monomer, and for the atoms at which they stand.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/monomer_beads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "model/structure/raw_residue.hpp"
#include "model/topology/modified_residues.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

/// Returns the mass of a heavy atom of a protein or nucleic acid by its name, standard atomic
/// weights; 0 for others.
double mass_of_atom(const std::string& name) {
  if (name.starts_with("SE")) return 78.971;
  switch (name.empty() ? ' ' : name[0]) {
    case 'C':
      return 12.011;
    case 'N':
      return 14.007;
    case 'O':
      return 15.999;
    case 'S':
      return 32.06;
    case 'P':
      return 30.974;
    default:
      return 0;
  }
}

bool is_upper_equal(std::string_view letter, std::string_view name) {
  return letter.size() == 1 && name.size() == 1 && name[0] >= 'a' && name[0] <= 'z' &&
         letter[0] == name[0] - 'a' + 'A';
}

/// Atoms of a nucleotide's phosphate and sugar; the others are the base's. Old files mark the sugar
/// by asterisks.
bool is_of_backbone(const std::string& name) {
  return name == "P" || name.starts_with("OP") || name == "O1P" || name == "O2P" || name == "O3P" ||
         name.ends_with('\'') || name.ends_with('*');
}

/// Returns the centre of mass of a nucleotide's backbone or base.
std::array<double, 3> centre_of_part_nm(const structure::Residue& residue, bool is_backbone) {
  structure::Residue part = residue;
  std::erase_if(part.heavy_atoms, [&](const structure::Atom& atom) {
    return is_of_backbone(atom.name) != is_backbone;
  });
  return centre_of_mass_nm(part);
}

[[noreturn]] void refuse(const PlacedMonomer& monomer, const std::string& what) {
  throw StructureError(fmt::format("{}: {} {}", monomer.structure,
                                   structure::describe_residue(monomer.residue, monomer.chain),
                                   what));
}

/// Returns the bead of the residue's own name, else of its parent. A name of the input has no
/// parent.
int residue_type(const PlacedMonomer& monomer, const input::ForceField& field) {
  const structure::Residue& r = monomer.residue;
  const int type = type_for(r, field);
  const auto has_name = [&](const std::string& name) {
    return field.beads[static_cast<std::size_t>(type)].name == name;
  };
  const bool is_parent = type >= 0 && !has_name(r.file_name) && r.name != r.file_name;
  if (r.is_named && (type < 0 || is_parent)) {
    std::vector<std::string> names;
    for (int bead = 0; bead < field.bead_count(); ++bead) {
      names.push_back(field.beads[static_cast<std::size_t>(bead)].name);
    }
    throw StructureError(fmt::format(
        "{}: {} is no bead of the force field, which has {}; take one of them, or add it to a "
        "table "
        "of your own (force_field.table)",
        monomer.structure,
        structure::describe_residue(r.file_name, r.number, r.insertion_code, monomer.chain),
        fmt::join(names, ", ")));
  }
  if (type >= 0) return type;
  refuse(monomer,
         fmt::format("{}is none of the residues of the force field; take it out by a selection, "
                     "rename it, or add it to a table of your own (force_field.table)",
                     r.file_name.empty() || r.file_name == r.name ? "" : "(" + r.file_name + ") "));
}

}  // namespace

std::vector<int> bead_types(const PlacedMonomer& monomer, const input::ChainKind& kind,
                            const input::ForceField& field) {
  if (kind.monomers.empty()) return {residue_type(monomer, field)};
  const structure::Residue& r = monomer.residue;
  const auto find = [&kind](const auto& accepts) {
    return std::ranges::find_if(kind.monomers, [&](const input::Monomer& one) {
      return accepts(std::string_view(one.letter));
    });
  };
  const auto none = kind.monomers.end();
  auto found =
      r.file_name.empty() ? none : find([&r](auto letter) { return letter == r.file_name; });
  if (found == none) found = find([&r](auto letter) { return letter == r.name; });
  if (found == none) found = find([&r](auto letter) { return is_upper_equal(letter, r.name); });
  if (found == none) found = find([](auto letter) { return letter.empty(); });
  if (found != none) return found->types;
  std::vector<std::string> letters;
  for (const input::Monomer& one : kind.monomers) letters.push_back(one.letter);
  throw StructureError(
      fmt::format("{}: {} is no monomer of the chain kind {}, which has {}", monomer.structure,
                  structure::describe_residue(r.file_name.empty() ? r.name : r.file_name, r.number,
                                              r.insertion_code, monomer.chain),
                  kind.name, fmt::join(letters, ", ")));
}

std::array<double, 3> nucleotide_bead_nm(const PlacedMonomer& monomer, std::size_t role,
                                         std::size_t roles, bool at_centre_of_mass) {
  const structure::Residue& r = monomer.residue;
  if (roles > 2) {
    refuse(monomer, fmt::format("has {} beads in the force field; those of a structure can be 1 or "
                                "2: give the sequence without a structure",
                                roles));
  }
  if (roles == 1) return at_centre_of_mass ? centre_of_mass_nm(r) : r.calpha_nm;
  const bool is_backbone = role == 0;
  if (at_centre_of_mass) return centre_of_part_nm(r, is_backbone);
  if (is_backbone) return r.calpha_nm;
  for (const char* name : {"N9", "N1"}) {  // purines have both, and N9 at the sugar
    for (const structure::Atom& atom : r.heavy_atoms) {
      if (atom.name == name) return atom.position_nm;
    }
  }
  refuse(monomer,
         "has neither an atom N9 nor N1, where its base stands; give the missing atoms, or the "
         "sequence without a structure");
}

std::array<double, 3> bead_position_nm(const Residue& bead, const structure::Residue& residue) {
  return bead.at_centre_of_mass ? centre_of_mass_nm(residue) : residue.calpha_nm;
}

std::array<double, 3> centre_of_mass_nm(const structure::Residue& residue) {
  std::array<double, 3> sum{};
  double mass = 0;
  for (const structure::Atom& atom : residue.heavy_atoms) {
    const double m = mass_of_atom(atom.name);
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += m * atom.position_nm[axis];
    mass += m;
  }
  if (mass == 0) return residue.calpha_nm;
  return {sum[0] / mass, sum[1] / mass, sum[2] / mass};
}

}  // namespace nfold::topology
