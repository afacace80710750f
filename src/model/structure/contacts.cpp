// Native contact maps: Shadow, heavy-atom cutoff, C-alpha cutoff.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "model/structure/all_atom.hpp"
#include "model/structure/shadow.hpp"
#include "system/cell_list.hpp"

namespace nfold::structure {
namespace {

/// C-alpha atoms of all chains, by consecutive index.
struct Calphas {
  std::vector<Point> position_nm;
  std::vector<int> chain;
  std::vector<int> ring;  ///< (chains) residues of a closed chain; 0: open
};

/// Returns the separation of residues i and j > i of one chain, the shorter way around a ring.
int separation(const Calphas& calphas, int i, int j) {
  const int ring =
      calphas.ring[static_cast<std::size_t>(calphas.chain[static_cast<std::size_t>(i)])];
  return ring == 0 ? j - i : std::min(j - i, ring - (j - i));
}

Calphas collect_calphas(const Structure& structure) {
  Calphas calphas;
  for (std::size_t c = 0; c < structure.chains.size(); ++c) {
    const auto count = static_cast<int>(structure.chains[c].residues.size());
    calphas.ring.push_back(structure.chains[c].is_closed ? count : 0);
    for (const Residue& residue : structure.chains[c].residues) {
      calphas.position_nm.push_back(residue.calpha_nm);
      calphas.chain.push_back(static_cast<int>(c));
    }
  }
  return calphas;
}

double calpha_distance(const Calphas& calphas, int i, int j) {
  return distance(calphas.position_nm[static_cast<std::size_t>(i)],
                  calphas.position_nm[static_cast<std::size_t>(j)]);
}

std::vector<Contact> calpha_contacts(const Calphas& calphas, const ContactOptions& options) {
  const system::CellList cells({}, calphas.position_nm, options.cutoff_nm);
  std::vector<Contact> contacts;
  for (int i = 0; i < static_cast<int>(calphas.position_nm.size()); ++i) {
    const auto row = static_cast<std::size_t>(i);
    cells.for_each_near(calphas.position_nm[row], [&](int j) {
      const bool too_close_in_chain =
          calphas.chain[row] == calphas.chain[static_cast<std::size_t>(j)] && j > i &&
          separation(calphas, i, j) < options.min_sequence_separation;
      if (j <= i || too_close_in_chain) return;
      const double d = calpha_distance(calphas, i, j);
      if (d < options.cutoff_nm) contacts.push_back({i, j, 1, d});
    });
  }
  return contacts;
}

// True if atoms a < b may form a contact, regardless of their distance.
bool eligible(const AllAtom& atoms, const Calphas& calphas, int a, int b, int min_separation) {
  const auto one = static_cast<std::size_t>(a), other = static_cast<std::size_t>(b);
  if (atoms.residue[one] == atoms.residue[other]) return false;
  if (atoms.chain[one] != atoms.chain[other]) return true;
  const int apart = separation(calphas, atoms.residue[one], atoms.residue[other]);
  if (apart < min_separation) return false;
  constexpr int dihedrals_reach = 4;  // residues further apart share no dihedral
  return apart >= dihedrals_reach || !atoms.within_dihedral(a, b);
}

std::vector<Contact> atom_contacts(const Structure& structure, const Calphas& calphas,
                                   const ContactOptions& options) {
  const AllAtom atoms = all_atoms(structure);
  const system::CellList cells({}, atoms.position_nm, options.cutoff_nm);
  const Shadow shadow(atoms, options);
  std::vector<Contact> contacts;
  std::vector<int> partners;  // residues in contact with the current one, once per atom pair
  const auto close_residue = [&](int i) {
    std::sort(partners.begin(), partners.end());
    for (auto p = partners.begin(); p != partners.end();) {
      const auto end = std::upper_bound(p, partners.end(), *p);
      contacts.push_back({i, *p, static_cast<int>(end - p), calpha_distance(calphas, i, *p)});
      p = end;
    }
    partners.clear();
  };
  for (int a = 0; a < atoms.size(); ++a) {
    const int i = atoms.residue[static_cast<std::size_t>(a)];
    if (a > 0 && i != atoms.residue[static_cast<std::size_t>(a) - 1]) {
      close_residue(atoms.residue[static_cast<std::size_t>(a) - 1]);
    }
    const std::vector<Neighbour> near = neighbours(atoms, cells, a, options.cutoff_nm);
    for (const auto& [b, d] : near) {
      if (b < a || !eligible(atoms, calphas, a, b, options.min_sequence_separation)) continue;
      if (options.map == system::ContactMap::shadow && shadow.blocks(a, b, d, near)) continue;
      partners.push_back(atoms.residue[static_cast<std::size_t>(b)]);
    }
  }
  if (atoms.size() > 0) close_residue(atoms.residue.back());
  return contacts;
}

void check(const ContactOptions& options) {
  constexpr double largest_nm = 3;
  if (!(options.cutoff_nm > 0) || options.cutoff_nm > largest_nm) {
    throw StructureError(fmt::format("contact cutoff {} nm; expected more than 0 and at most {} nm",
                                     options.cutoff_nm, largest_nm));
  }
  if (options.min_sequence_separation < 1) {
    throw StructureError(
        fmt::format("smallest separation of contacts in a chain is {}; expected 1 "
                    "residue or more",
                    options.min_sequence_separation));
  }
}

}  // namespace

std::vector<Contact> native_contacts(const Structure& structure, const ContactOptions& options) {
  check(options);
  const Calphas calphas = collect_calphas(structure);
  std::vector<Contact> contacts = options.map == system::ContactMap::calpha
                                      ? calpha_contacts(calphas, options)
                                      : atom_contacts(structure, calphas, options);
  std::ranges::sort(contacts, {},
                    [](const Contact& contact) { return std::pair(contact.i, contact.j); });
  return contacts;
}

}  // namespace nfold::structure
