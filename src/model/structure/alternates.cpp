// Selection of alternate locations.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/alternates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace nfold::structure {
namespace {

struct Location {
  char letter = ' ';
  double occupancy = 0;
  int atoms = 0;
  [[nodiscard]] double mean() const { return atoms == 0 ? 0 : occupancy / atoms; }
};

Location best_location(const RawResidue& residue) {
  std::vector<Location> locations;
  for (const RawAtom& atom : residue.atoms) {
    if (atom.alternate == ' ') continue;
    auto found = std::find_if(locations.begin(), locations.end(),
                              [&](const Location& l) { return l.letter == atom.alternate; });
    if (found == locations.end()) found = locations.insert(found, {atom.alternate, 0, 0});
    found->occupancy += static_cast<double>(atom.occupancy);
    ++found->atoms;
  }
  const auto best =
      std::max_element(locations.begin(), locations.end(),
                       [](const Location& a, const Location& b) { return a.mean() < b.mean(); });
  return best == locations.end() ? Location{} : *best;
}

void reject_repeated_atoms(const RawResidue& residue, const std::string& name) {
  for (std::size_t i = 0; i < residue.atoms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const RawAtom &a = residue.atoms[i], &b = residue.atoms[j];
      if (a.alternate != b.alternate || a.name != b.name) continue;
      throw StructureError(fmt::format(
          "{}: residue {} has atom {} twice; expected each atom once (or alternate locations with "
          "a letter each): renumber the residue or remove one",
          name, describe_residue(residue), a.name));
    }
  }
}

}  // namespace

double best_occupancy(const RawResidue& residue) {
  const Location best = best_location(residue);
  return best.atoms == 0 ? 1 : best.mean();
}

bool keep_best_alternate(RawResidue& residue, const std::string& name) {
  reject_repeated_atoms(residue, name);
  const Location best = best_location(residue);
  if (best.atoms == 0) return false;
  // An atom in its only location, or in the best one, precedes any other.
  const auto rank = [&](const RawAtom& atom) {
    return atom.alternate == best.letter || atom.alternate == ' '
               ? 2.0
               : static_cast<double>(atom.occupancy) - 1;
  };
  std::vector<RawAtom> kept;
  for (RawAtom& atom : residue.atoms) {
    const auto same = std::find_if(kept.begin(), kept.end(),
                                   [&](const RawAtom& k) { return k.name == atom.name; });
    if (same == kept.end()) {
      kept.push_back(std::move(atom));
    } else if (rank(atom) > rank(*same)) {
      *same = std::move(atom);
    }
  }
  residue.atoms = std::move(kept);
  return true;
}

}  // namespace nfold::structure
