// Search for missing atoms by residue templates, and for bonds by distance.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/structure/all_atom.hpp"
#include "model/structure/point.hpp"
#include "model/structure/raw_residue.hpp"
#include "model/structure/residue_kind.hpp"
#include "model/structure/tally.hpp"
#include "system/cell_list.hpp"

namespace nfold::structure {
namespace {

struct PlacedAtom {
  char element;
  int residue;  ///< consecutive index over all chains
};

struct PlacedResidue {
  const Residue* residue;
  const Chain* chain;
};

std::vector<PlacedResidue> residues_of(const Structure& structure) {
  std::vector<PlacedResidue> all;
  for (const Chain& chain : structure.chains) {
    for (const Residue& residue : chain.residues) all.push_back({&residue, &chain});
  }
  return all;
}

std::string describe_placed_residue(const PlacedResidue& at) {
  return describe_residue(*at.residue, at.chain->name);
}

void note_missing_atoms(const std::vector<PlacedResidue>& residues,
                        std::vector<std::string>& notes) {
  const bool has_more_than_calphas =
      std::any_of(residues.begin(), residues.end(),
                  [](const PlacedResidue& at) { return at.residue->heavy_atoms.size() > 1; });
  if (!has_more_than_calphas) return;  // C-alpha only: the builder of the go model notes it
  Tally cut;
  for (const PlacedResidue& at : residues) {
    const bool is_standard = residue_kind(at.residue->file_name).kind == ResidueKind::amino_acid;
    if (is_standard && !has_all_atoms(*at.residue)) cut.add(describe_placed_residue(at));
  }
  cut.note("residues with atoms of side chain or backbone missing, which make no contacts", notes);
}

/// Returns the longest covalent bond of two elements [nm]. Only C, N, O and S are considered.
double longest_bond_nm(char a, char b) {
  if (a == 'S' && b == 'S') return 0.25;
  return a == 'S' || b == 'S' ? 0.2 : 0.17;
}

class LinkSearch {
 public:
  explicit LinkSearch(const std::vector<PlacedResidue>& residues) : residues_(residues) {
    for (std::size_t i = 0; i < residues.size(); ++i) {
      for (const Atom& atom : residues[i].residue->heavy_atoms) {
        const char element = atom.name[0];
        if (element != 'C' && element != 'N' && element != 'O' && element != 'S') continue;
        position_nm_.push_back(atom.position_nm);
        atoms_.push_back({element, static_cast<int>(i)});
      }
    }
  }

  void run(std::vector<std::string>& notes) {
    constexpr double reach_nm = 0.25;
    const system::CellList cells({}, position_nm_, reach_nm);
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      std::vector<int> near;
      cells.for_each_near(position_nm_[a], [&](int b) {
        if (static_cast<std::size_t>(b) > a) near.push_back(b);
      });
      std::sort(near.begin(), near.end());
      for (const int b : near) check_link(a, static_cast<std::size_t>(b));
    }
    disulfides_.note("disulfide bonds, which the model lacks", notes);
    others_.note("warning: atoms of two residues close enough for a bond that the model lacks",
                 notes);
  }

 private:
  void check_link(std::size_t a, std::size_t b) {
    const auto [one, i] = atoms_[a];
    const auto [other, j] = atoms_[b];
    const double d = distance(position_nm_[a], position_nm_[b]);
    const auto at = [&](int index) -> const PlacedResidue& {
      return residues_[static_cast<std::size_t>(index)];
    };
    const Chain& chain = *at(i).chain;
    const bool closes = chain.is_closed && at(i).residue == &chain.residues.front() &&
                        at(j).residue == &chain.residues.back();
    const bool is_bonded = i == j || (j == i + 1 && at(i).residue->bonded_to_next) || closes;
    if (is_bonded || d > longest_bond_nm(one, other)) return;
    const std::string link =
        fmt::format("{} to {}", describe_placed_residue(at(i)), describe_placed_residue(at(j)));
    if (one == 'S' && other == 'S') {
      disulfides_.add(link);
    } else {
      others_.add(fmt::format("{}, {:.2f} nm", link, d));
    }
  }

  const std::vector<PlacedResidue>& residues_;
  std::vector<Point> position_nm_;
  std::vector<PlacedAtom> atoms_;
  Tally disulfides_, others_;
};

}  // namespace

std::vector<std::string> inspect(const Structure& structure) {
  std::vector<std::string> notes;
  const std::vector<PlacedResidue> residues = residues_of(structure);
  note_missing_atoms(residues, notes);
  LinkSearch(residues).run(notes);
  return notes;
}

}  // namespace nfold::structure
