// Decides residue by residue what is protein, and reports the rest.
// SPDX-License-Identifier: BSD-3-Clause
#include "structure/assemble.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "structure/alternates.hpp"
#include "structure/point.hpp"
#include "structure/residue_kind.hpp"
#include "structure/tally.hpp"

namespace nfold::structure {
namespace {

// A peptide bond is 0.133 nm, neighbouring alpha carbons 0.38 nm (trans) or 0.29 nm (cis) apart.
constexpr double longest_peptide_bond_nm = 0.2;
constexpr double longest_calpha_step_nm = 0.45;

using Position = Point;

template <typename Atoms>
const Position* find_atom(const Atoms& atoms, std::string_view name) {
  for (const auto& atom : atoms) {
    if (atom.name == name) return &atom.position_nm;
  }
  return nullptr;
}

template <typename Atoms, typename OtherAtoms>
bool peptide_bonded(const Atoms& first, const OtherAtoms& second) {
  const Position *c = find_atom(first, "C"), *n = find_atom(second, "N");
  if (c != nullptr && n != nullptr) {
    return distance(*c, *n) < longest_peptide_bond_nm;
  }
  const Position *a = find_atom(first, "CA"), *b = find_atom(second, "CA");
  return a != nullptr && b != nullptr && distance(*a, *b) < longest_calpha_step_nm;
}

bool bonded_neighbours(const RawResidue& first, const RawResidue& second) {
  return first.chain == second.chain && peptide_bonded(first.atoms, second.atoms);
}

// By the sign of the volume that N, C and CB span seen from CA; unknown (glycine) counts as L.
bool is_d_by_geometry(const std::vector<RawAtom>& atoms) {
  const Position *n = find_atom(atoms, "N"), *a = find_atom(atoms, "CA"),
                 *c = find_atom(atoms, "C"), *b = find_atom(atoms, "CB");
  if (n == nullptr || a == nullptr || c == nullptr || b == nullptr) return false;
  constexpr double flat_nm3 = 5e-4;  // a tetrahedral centre has 2.5e-3
  return dot(cross(difference(*n, *a), difference(*c, *a)), difference(*b, *a)) < -flat_nm3;
}

std::string place_of(const RawResidue& r) {
  return residue_place(r.name, r.number, r.insertion_code, r.chain);
}
std::string place_of(const Residue& r, const std::string& chain) {
  return residue_place(r.name, r.number, r.insertion_code, chain);
}

struct Tallies {
  Tally alternates, variants, modified, d_residues, unknown, insertions, ligands, water,
      nucleic_acids, caps, without_calpha, gaps, split_chains, unnamed_chains;
};

class Assembler {
 public:
  Assembler(std::vector<RawResidue> raw, const std::string& name, const ChainSelection& selection)
      : raw_(std::move(raw)), name_(name), selection_(selection) {}

  Structure run(int model, int model_count);

 private:
  void name_chains();
  void select();
  void choose_locations();
  void classify();
  bool is_protein(std::size_t at, const NamedResidue& kind) const;
  void keep(RawResidue& raw, const NamedResidue& kind);
  Chain& chain_for(const RawResidue& raw);
  void bond_chains();
  void write_notes(int model, int model_count);
  [[noreturn]] void fail_empty() const;

  std::vector<RawResidue> raw_;
  std::string name_;
  const ChainSelection& selection_;
  Structure result_;
  Tallies tally_;
  std::unordered_map<std::string, std::size_t>
      chain_index_;  ///< file's name to the last such chain
  std::unordered_map<std::string, int> chain_parts_;
  std::vector<int> last_part_;  ///< (chains) part of the chain's last residue
};

void Assembler::name_chains() {
  std::set<std::string> names;
  bool unnamed_protein = false;
  for (const RawResidue& r : raw_) {
    names.insert(r.chain);
    unnamed_protein |= r.chain.empty() && !r.hetero && !residue_kind(r.name).parent.empty();
  }
  if (!unnamed_protein) return;
  std::string fresh = "A";
  while (names.contains(fresh))
    fresh = fresh == "Z" ? "AA" : fresh.substr(1) + static_cast<char>(fresh.back() + 1);
  for (RawResidue& r : raw_) {
    if (r.chain.empty()) r.chain = fresh;
  }
  tally_.unnamed_chains.add(fresh);
}

void Assembler::select() {
  if (selection_.all()) return;
  std::set<std::string> names;
  for (const RawResidue& r : raw_) names.insert(r.chain);
  for (const std::string& wanted : selection_.chain_names()) {
    if (!names.contains(wanted)) {
      throw StructureError(
          fmt::format("{}: no chain '{}'; there are: {}", name_, wanted, fmt::join(names, ", ")));
    }
  }
  std::erase_if(raw_, [&](const RawResidue& r) {
    return !selection_.wants(r.chain, r.number, r.insertion_code);
  });
}

void Assembler::choose_locations() {
  std::vector<RawResidue> chosen;
  chosen.reserve(raw_.size());
  for (RawResidue& r : raw_) {
    const bool protein = !residue_kind(r.name).parent.empty();
    const bool same_place = !chosen.empty() && protein && chosen.back().chain == r.chain &&
                            chosen.back().number == r.number && chosen.back().part == r.part &&
                            chosen.back().insertion_code == r.insertion_code &&
                            !residue_kind(chosen.back().name).parent.empty();
    if (!same_place) {
      chosen.push_back(std::move(r));
      continue;
    }
    const auto alternative = [](const RawAtom& a) { return a.alternate != ' '; };
    if (std::none_of(r.atoms.begin(), r.atoms.end(), alternative)) {
      throw StructureError(fmt::format(
          "{}: {} has the number of {}; expected one residue a number, or alternate locations with "
          "a letter each: renumber one of them",
          name_, place_of(r), place_of(chosen.back())));
    }
    tally_.variants.add(fmt::format("{} or {}", chosen.back().name, place_of(r)));
    if (best_occupancy(r) > best_occupancy(chosen.back())) chosen.back() = std::move(r);
  }
  raw_ = std::move(chosen);
}

bool Assembler::is_protein(std::size_t at, const NamedResidue& kind) const {
  const RawResidue& r = raw_[at];
  const bool has_calpha = find_atom(r.atoms, "CA") != nullptr;
  const bool backbone = find_atom(r.atoms, "N") != nullptr && find_atom(r.atoms, "C") != nullptr;
  if (kind.parent.empty() && (kind.kind != ResidueKind::other || !has_calpha)) return false;
  if (!r.hetero) return true;
  if (kind.parent.empty() && !backbone) return false;
  // A free amino acid is a ligand; one in the chain is bonded to its neighbours.
  return (at > 0 && bonded_neighbours(raw_[at - 1], r)) ||
         (at + 1 < raw_.size() && bonded_neighbours(r, raw_[at + 1]));
}

Chain& Assembler::chain_for(const RawResidue& raw) {
  const auto found = chain_index_.find(raw.chain);
  if (found != chain_index_.end()) {
    Chain& chain = result_.chains[found->second];
    int& part = last_part_[found->second];
    if (part == raw.part || peptide_bonded(chain.residues.back().heavy_atoms, raw.atoms)) {
      part = raw.part;
      return chain;
    }
  }
  const int number = ++chain_parts_[raw.chain];
  std::string name = number == 1 ? raw.chain : fmt::format("{}_{}", raw.chain, number);
  if (number > 1) tally_.split_chains.add(name);
  chain_index_[raw.chain] = result_.chains.size();
  last_part_.push_back(raw.part);
  result_.chains.push_back({std::move(name), {}});
  return result_.chains.back();
}

void Assembler::keep(RawResidue& raw, const NamedResidue& kind) {
  const std::string place = place_of(raw);
  if (keep_best_location(raw, name_)) tally_.alternates.add(place);
  const Position* calpha = find_atom(raw.atoms, "CA");
  if (calpha == nullptr) {
    tally_.without_calpha.add(place);
    return;
  }
  Chain& chain = chain_for(raw);
  if (kind.kind == ResidueKind::modified) {
    tally_.modified.add(fmt::format("{} as {}", place, kind.parent));
  } else if (kind.kind == ResidueKind::d_amino_acid || is_d_by_geometry(raw.atoms)) {
    tally_.d_residues.add(fmt::format("{} as {}", place, kind.parent));
  } else if (kind.parent.empty()) {
    tally_.unknown.add(place);
  }
  if (raw.insertion_code != ' ') tally_.insertions.add(place);
  Residue residue;
  residue.name = kind.parent.empty() ? "UNK" : kind.parent;
  residue.number = raw.number;
  residue.insertion_code = raw.insertion_code;
  residue.calpha_nm = *calpha;
  residue.heavy_atoms.reserve(raw.atoms.size());
  for (RawAtom& atom : raw.atoms) {
    residue.heavy_atoms.push_back({std::move(atom.name), atom.position_nm});
  }
  chain.residues.push_back(std::move(residue));
}

void Assembler::classify() {
  std::vector<bool> protein(raw_.size());
  std::vector<NamedResidue> kinds(raw_.size());
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    kinds[i] = residue_kind(raw_[i].name);
    protein[i] = is_protein(i, kinds[i]);
  }
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (protein[i]) {
      keep(raw_[i], kinds[i]);
    } else if (kinds[i].kind == ResidueKind::water) {
      tally_.water.add(place_of(raw_[i]));
    } else if (kinds[i].kind == ResidueKind::nucleic_acid) {
      tally_.nucleic_acids.add(place_of(raw_[i]));
    } else if (kinds[i].kind == ResidueKind::cap) {
      tally_.caps.add(place_of(raw_[i]));
    } else {
      tally_.ligands.add(place_of(raw_[i]));
    }
    raw_[i].atoms = {};
  }
}

void Assembler::bond_chains() {
  for (Chain& chain : result_.chains) {
    for (std::size_t i = 0; i + 1 < chain.residues.size(); ++i) {
      Residue &here = chain.residues[i], &next = chain.residues[i + 1];
      here.bonded_to_next = peptide_bonded(here.heavy_atoms, next.heavy_atoms);
      if (here.bonded_to_next) continue;
      tally_.gaps.add(
          fmt::format("{} to {}", place_of(here, chain.name), place_of(next, chain.name)));
    }
  }
}

void Assembler::write_notes(int model, int model_count) {
  auto& notes = result_.notes;
  if (model_count > 1) {
    notes.push_back(fmt::format("models: number {} of {} is used", model, model_count));
  }
  const std::pair<const Tally*, const char*> lines[] = {
      {&tally_.unnamed_chains, "chain without a name is called by a letter"},
      {&tally_.split_chains, "parts of one chain that are not bonded became chains of their own"},
      {&tally_.alternates, "alternate locations, highest occupancy kept"},
      {&tally_.variants, "positions with two kinds of residue, highest occupancy kept"},
      {&tally_.modified, "modified residues counted as their parents"},
      {&tally_.d_residues, "D residues kept as the file has them"},
      {&tally_.unknown, "residues of unknown kind in the chain kept as UNK"},
      {&tally_.insertions, "residues with insertion codes, in the file's order"},
      {&tally_.without_calpha, "residues without C-alpha left out, chain broken there"},
      {&tally_.gaps, "chain broken where neighbours are not bonded (missing residues)"},
      {&tally_.caps, "capping groups left out"},
      {&tally_.nucleic_acids, "nucleic acid residues left out"},
      {&tally_.ligands, "ligands and ions left out"},
      {&tally_.water, "water left out"}};
  for (const auto& [tally, what] : lines) {
    if (tally->count() > 0) notes.push_back(tally->line(what));
  }
}

void Assembler::fail_empty() const {
  std::string found;
  const std::pair<const Tally*, const char*> counts[] = {
      {&tally_.without_calpha, "residues without C-alpha"},
      {&tally_.nucleic_acids, "nucleic acid residues"},
      {&tally_.ligands, "ligands and ions"},
      {&tally_.caps, "capping groups"},
      {&tally_.water, "waters"}};
  for (const auto& [tally, what] : counts) {
    if (tally->count() > 0) {
      found += fmt::format("{}{} {}", found.empty() ? "" : ", ", tally->count(), what);
    }
  }
  throw StructureError(fmt::format(
      "{}: no amino acid residue with a C-alpha atom{}; found {}; expected a protein: choose other "
      "{}",
      name_, selection_.all() ? "" : " in the selected chains and residues",
      found.empty() ? "nothing" : found, selection_.all() ? "coordinates" : "chains or residues"));
}

Structure Assembler::run(int model, int model_count) {
  name_chains();
  select();
  choose_locations();
  classify();
  if (result_.chains.empty()) fail_empty();
  bond_chains();
  write_notes(model, model_count);
  return std::move(result_);
}

}  // namespace

Structure assemble(RawStructure raw, const std::string& name, int model,
                   const ChainSelection& selection) {
  return Assembler(std::move(raw.residues), name, selection).run(model, raw.model_count);
}

}  // namespace nfold::structure
