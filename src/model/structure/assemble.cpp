// Selection of residues of proteins and nucleic acids, and notes on the others.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/assemble.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/structure/alternates.hpp"
#include "model/structure/backbone.hpp"
#include "model/structure/inspection.hpp"
#include "model/structure/joining.hpp"
#include "model/structure/point.hpp"
#include "model/structure/predicted_model.hpp"
#include "model/structure/residue_kind.hpp"
#include "model/structure/residue_ranges.hpp"
#include "model/structure/tally.hpp"

namespace nfold::structure {
namespace {

// True for a D residue, by the sign of the volume of N, C and CB seen from CA. Unknown (glycine)
// counts as L.
bool is_d_by_geometry(const std::vector<RawAtom>& atoms) {
  const Point *n = find_atom(atoms, "N"), *a = find_atom(atoms, "CA"), *c = find_atom(atoms, "C"),
              *b = find_atom(atoms, "CB");
  if (n == nullptr || a == nullptr || c == nullptr || b == nullptr) return false;
  constexpr double flat_nm3 = 5e-4;  // a tetrahedral centre has 2.5e-3
  return dot(cross(difference(*n, *a), difference(*c, *a)), difference(*b, *a)) < -flat_nm3;
}

/// Counts the atoms N, CA and C.
int backbone_atoms(const RawResidue& r) {
  int count = 0;
  for (const char* name : {"N", "CA", "C"}) count += find_atom(r.atoms, name) != nullptr ? 1 : 0;
  return count;
}

/// True for a calcium ion: a single atom in a residue named CA, CAL, CA2 or CA+.
bool is_calcium(const RawResidue& r) {
  return r.atoms.size() == 1 && r.name.starts_with("CA") &&
         (r.name.size() == 2 || std::string_view("L2+").find(r.name[2]) != std::string_view::npos);
}

/// Returns the kind of a nucleotide with its letter as the parent.
NamedResidue nucleotide_kind(const std::string& name) {
  return {ResidueKind::nucleic_acid, std::string(1, find_nucleotide(name)->letter)};
}

struct Tallies {
  Tally no_phosphorus, modified_nucleotides, alternates, variants, d_residues, unknown, insertions,
      ligands, water, nucleic_acids, caps, without_calpha, gaps, closed, split_chains,
      unnamed_chains, other_lengths;
};

class Assembler {
 public:
  Assembler(RawStructure raw, const std::string& name, const Selection& selection)
      : raw_(std::move(raw.residues)),
        model_count_(raw.model_count),
        sequences_(std::move(raw.sequences)),
        name_(name),
        selection_(selection) {
    result_.notes = std::move(raw.notes);
    result_.file.prediction = std::move(raw.prediction);
  }

  Structure run();

 private:
  void name_chains();
  void find_protein();
  void record_contents();
  void recognise_prediction();
  void name_parts();
  void select();
  void choose_locations();
  void keep_chains();
  bool is_protein(std::size_t at) const;
  bool is_nucleotide(const RawResidue& r) const;
  bool is_calpha_only(std::size_t at, const RawResidue& beside) const;
  void keep(RawResidue& raw);
  Tally& tally_of(ResidueKind kind);
  void bond_chains();
  void compare_with_sequences();
  void write_notes();
  [[noreturn]] void fail_empty() const;

  std::vector<RawResidue> raw_;
  int model_count_;
  std::vector<DeclaredSequence> sequences_;
  std::string name_;
  const Selection& selection_;
  Structure result_;
  Tallies tally_;
  std::unordered_map<std::string, int> kept_of_file_chain_;
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
  for (DeclaredSequence& sequence : sequences_) {
    if (sequence.chain.empty()) sequence.chain = fresh;
  }
  tally_.unnamed_chains.add(fresh);
}

void Assembler::find_protein() {
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    raw_[i].is_protein = is_protein(i);
    raw_[i].is_nucleotide = !raw_[i].is_protein && is_nucleotide(raw_[i]);
  }
}

bool Assembler::is_nucleotide(const RawResidue& r) const {
  return selection_.nucleotides && find_nucleotide(r.name) && find_backbone(r.atoms) != nullptr;
}

/// Numbers the file's residues other than water, before any is left out.
void Assembler::record_contents() {
  FileContents& file = result_.file;
  std::unordered_map<std::string, int> chains;
  const auto index_of = [&](const std::string& chain) {
    const auto [entry, is_new] = chains.emplace(chain, static_cast<int>(chains.size()));
    if (is_new) file.chain_names.push_back(chain);
    return entry->second;
  };
  for (RawResidue& r : raw_) {
    const NamedResidue kind = residue_kind(r.name);
    if (kind.kind == ResidueKind::water) continue;
    r.file_residue = static_cast<int>(file.residues.size());
    FileContents::Residue residue;
    residue.chain = index_of(r.chain);
    residue.number = r.number;
    residue.label_chain = r.label_chain.empty() ? residue.chain : index_of(r.label_chain);
    residue.label_number = r.label_chain.empty() ? r.number : r.label_number;
    residue.atoms = static_cast<int>(r.atoms.size());
    constexpr std::size_t longest_nucleotide = 2;  // "DA"; modified ones have three letters
    residue.is_standard =
        kind.kind == ResidueKind::amino_acid ||
        (kind.kind == ResidueKind::nucleic_acid && r.name.size() <= longest_nucleotide);
    file.residues.push_back(residue);
  }
}

void Assembler::recognise_prediction() {
  PredictionRecord& record = result_.file.prediction;
  if (record.metrics.is_empty() && record.is_experimental) record.predictor.clear();
  if (!record.predictor.empty() || record.is_experimental || !has_plddt_b_factors(raw_)) return;
  record.predictor = "B-factors equal within each residue";
}

/// Names chain parts. A part behind TER without a bond to the part before becomes a separate chain,
/// "A_2".
void Assembler::name_parts() {
  struct Part {
    std::size_t last = 0;  ///< last residue of the part
    int number = 1;
    std::string name;
  };
  std::unordered_map<std::string, Part> parts;  // key: the chain's name in the file
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    RawResidue& r = raw_[i];
    r.file_chain = r.chain;
    if (!is_kept(r) || find_position(r) == nullptr) continue;
    const auto [entry, is_first] = parts.try_emplace(r.file_chain, Part{i, 1, r.file_chain});
    Part& part = entry->second;
    const RawResidue& before = raw_[part.last];
    const bool is_other = before.part != r.part || before.is_nucleotide != r.is_nucleotide;
    if (!is_first && is_other && !bonded_in_chain(before, r)) {
      part.name = fmt::format("{}_{}", r.file_chain, ++part.number);
    }
    part.last = i;
    r.chain = part.name;
  }
}

void Assembler::select() {
  if (selection_.chains.empty()) return;
  // Ranges refer to the amino acids or nucleotides of a chain; a chain without any is searched by
  // its other residues.
  std::unordered_map<std::string, bool> has_kept;
  for (const RawResidue& r : raw_) has_kept[r.chain] |= is_kept(r);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (is_kept(raw_[i]) || !has_kept[raw_[i].chain]) order.push_back(i);
  }
  std::unordered_map<std::string, std::size_t> first_of;
  for (const std::size_t i : order) first_of.try_emplace(raw_[i].chain, i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return first_of[raw_[a].chain] < first_of[raw_[b].chain];
  });
  const auto at = [&](int index) -> const RawResidue& {
    return raw_[order[static_cast<std::size_t>(index)]];
  };
  std::vector<LabelledChain> chains;
  for (int i = 0; i < static_cast<int>(order.size()); ++i) {
    if (chains.empty() || chains.back().name != at(i).chain) {
      chains.push_back({at(i).chain, at(i).file_chain, i, 0});
    }
    ++chains.back().count;
  }
  const ResidueFinder finder(name_ + ": chains", std::move(chains), [&](int index) {
    return ResidueLabel{at(index).number, at(index).insertion_code};
  });
  std::vector<char> is_selected(raw_.size(), 0);
  for (const std::string& text : selection_.chains) {
    const SelectedResidues selected = finder.find(text);
    for (const int index : selected.indices) {
      is_selected[order[static_cast<std::size_t>(index)]] = 1;
    }
    for (const std::string& missing : selected.missing) {
      result_.notes.push_back("warning: residues that the structure lacks: " + missing);
    }
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      if (!is_kept(raw_[i]) && raw_[i].file_chain == text) is_selected[i] = 1;
    }
  }
  std::size_t next = 0;
  std::erase_if(raw_, [&](const RawResidue&) { return is_selected[next++] == 0; });
}

void Assembler::choose_locations() {
  std::vector<RawResidue> chosen;
  chosen.reserve(raw_.size());
  for (RawResidue& r : raw_) {
    const bool protein = !residue_kind(r.name).parent.empty();
    const bool is_same_residue = !chosen.empty() && protein && chosen.back().chain == r.chain &&
                                 chosen.back().number == r.number && chosen.back().part == r.part &&
                                 chosen.back().insertion_code == r.insertion_code &&
                                 !residue_kind(chosen.back().name).parent.empty();
    if (!is_same_residue) {
      chosen.push_back(std::move(r));
      continue;
    }
    const auto alternative = [](const RawAtom& a) { return a.alternate != ' '; };
    const bool has_choice = std::any_of(r.atoms.begin(), r.atoms.end(), alternative) ||
                            backbone_atoms(r) < 3 || backbone_atoms(chosen.back()) < 3;
    if (!has_choice) {
      throw StructureError(fmt::format(
          "{}: {} has the number of {}; expected one residue a number, or alternate locations with "
          "a letter each: renumber one of them",
          name_, describe_residue(r), describe_residue(chosen.back())));
    }
    tally_.variants.add(fmt::format("{} or {}", chosen.back().name, describe_residue(r)));
    const auto worth = [](const RawResidue& one) {
      return std::pair(backbone_atoms(one), best_occupancy(one));
    };
    if (worth(r) > worth(chosen.back())) chosen.back() = std::move(r);
  }
  raw_ = std::move(chosen);
}

/// True if both neighbours have one atom, as in a file of C-alpha atoms.
bool Assembler::is_calpha_only(std::size_t at, const RawResidue& beside) const {
  return raw_[at].atoms.size() == 1 && beside.atoms.size() == 1 && beside.chain == raw_[at].chain;
}

bool Assembler::is_protein(std::size_t at) const {
  const RawResidue& r = raw_[at];
  const NamedResidue kind = residue_kind(r.name);
  const RawResidue* before = at > 0 ? &raw_[at - 1] : nullptr;
  const RawResidue* after = at + 1 < raw_.size() ? &raw_[at + 1] : nullptr;
  if (kind.parent.empty()) {
    const bool may_be = kind.kind == ResidueKind::other && find_atom(r.atoms, "CA") != nullptr;
    if (!may_be || is_calcium(r)) return false;
    // A residue of unknown kind counts if it has a backbone or is in a file of C-alpha atoms.
    const bool is_alone = !r.hetero && ((before != nullptr && is_calpha_only(at, *before)) ||
                                        (after != nullptr && is_calpha_only(at, *after)));
    if (backbone_atoms(r) < (r.hetero ? 3 : 2) && !is_alone) return false;
  }
  if (!r.hetero) return true;
  // A free amino acid is a ligand; one in the chain is bonded to its neighbours.
  return (before != nullptr && bonded_neighbours(*before, r)) ||
         (after != nullptr && bonded_neighbours(r, *after));
}

void Assembler::keep(RawResidue& raw) {
  const std::string text = describe_residue(raw);
  if (keep_best_alternate(raw, name_)) tally_.alternates.add(text);
  const Point* position = find_position(raw);
  if (position == nullptr) {
    tally_.without_calpha.add(text);
    return;
  }
  auto& chains = result_.chains;
  auto chain = std::find_if(chains.rbegin(), chains.rend(),
                            [&](const Chain& one) { return one.name == raw.chain; });
  if (chain == chains.rend()) {
    if (raw.chain != raw.file_chain) tally_.split_chains.add(raw.chain);
    chains.push_back({raw.chain, {}});
    chain = chains.rbegin();
    if (raw.is_nucleotide) chain->kind = find_nucleotide(raw.name)->is_dna ? "dna" : "rna";
  }
  const NamedResidue kind = raw.is_nucleotide ? nucleotide_kind(raw.name) : residue_kind(raw.name);
  if (raw.is_nucleotide) {
    if (find_atom(raw.atoms, "P") == nullptr) tally_.no_phosphorus.add(text);
    // Names of AMBER are no nucleotides to residue_kind().
    if (residue_kind(raw.name).kind == ResidueKind::nucleic_acid && raw.name != kind.parent &&
        raw.name != "D" + kind.parent) {
      tally_.modified_nucleotides.add(fmt::format("{} as {}", text, kind.parent));
    }
  }
  if (kind.kind == ResidueKind::d_amino_acid || is_d_by_geometry(raw.atoms)) {
    tally_.d_residues.add(fmt::format("{} as {}", text, kind.parent));
  } else if (kind.parent.empty()) {
    tally_.unknown.add(text);
  }
  if (raw.insertion_code != ' ') tally_.insertions.add(text);
  ++kept_of_file_chain_[raw.file_chain];
  Residue residue;
  residue.name = kind.parent.empty() ? "UNK" : kind.parent;
  residue.file_name = raw.name;
  residue.number = raw.number;
  residue.insertion_code = raw.insertion_code;
  residue.calpha_nm = *position;
  residue.file_residue = raw.file_residue;
  residue.b_factor = raw.b_factors.mean();
  residue.heavy_atoms.reserve(raw.atoms.size());
  for (RawAtom& atom : raw.atoms) {
    residue.heavy_atoms.push_back({std::move(atom.name), atom.position_nm});
  }
  chain->residues.push_back(std::move(residue));
}

/// Returns the tally of residues of this kind that are left out.
Tally& Assembler::tally_of(ResidueKind kind) {
  switch (kind) {
    case ResidueKind::water:
      return tally_.water;
    case ResidueKind::nucleic_acid:
      return tally_.nucleic_acids;
    case ResidueKind::cap:
      return tally_.caps;
    default:
      return tally_.ligands;
  }
}

void Assembler::keep_chains() {
  for (RawResidue& raw : raw_) {
    if (is_kept(raw)) {
      keep(raw);
    } else {
      tally_of(residue_kind(raw.name).kind).add(describe_residue(raw));
    }
    raw.atoms = {};
  }
}

void Assembler::bond_chains() {
  for (Chain& chain : result_.chains) {
    const auto& ends = chain.residues;
    const Point *c = find_atom(ends.back().heavy_atoms, "C"),
                *n = find_atom(ends.front().heavy_atoms, "N");
    chain.is_closed = ends.size() >= shortest_closed_chain && c != nullptr && n != nullptr &&
                      distance(*c, *n) < longest_peptide_bond_nm;
    if (chain.is_closed) {
      tally_.closed.add(fmt::format("{} to {}", describe_residue(ends.back(), chain.name),
                                    describe_residue(ends.front(), chain.name)));
    }
    for (std::size_t i = 0; i + 1 < chain.residues.size(); ++i) {
      Residue &here = chain.residues[i], &next = chain.residues[i + 1];
      here.bonded_to_next = chain.kind == "protein"
                                ? peptide_bonded(here.heavy_atoms, next.heavy_atoms)
                                : ester_bonded(here.heavy_atoms, next.heavy_atoms);
      if (here.bonded_to_next) continue;
      tally_.gaps.add(describe_gap(here, next, chain.name));
    }
  }
}

/// Notes chains selected as a whole that are shorter than the sequence stated in the file.
void Assembler::compare_with_sequences() {
  const auto is_whole = [&](const std::string& chain) {
    const auto& texts = selection_.chains;
    return texts.empty() || std::find(texts.begin(), texts.end(), chain) != texts.end();
  };
  const auto kept = [&](const DeclaredSequence& stated) {
    const auto found = kept_of_file_chain_.find(stated.chain);
    return found == kept_of_file_chain_.end() ? 0 : found->second;
  };
  // Chains with the most missing residues come first, because only the first few are named.
  std::stable_sort(sequences_.begin(), sequences_.end(), [&](const auto& a, const auto& b) {
    return a.residues - kept(a) > b.residues - kept(b);
  });
  for (const DeclaredSequence& stated : sequences_) {
    const auto& [chain, residues] = stated;
    if (kept(stated) == 0 || kept(stated) == residues || !is_whole(chain)) continue;
    tally_.other_lengths.add(fmt::format("{} {} of {}", chain, kept(stated), residues));
  }
}

void Assembler::write_notes() {
  auto& notes = result_.notes;
  if (model_count_ > 1) {
    notes.push_back(fmt::format("model {} of {} is used", selection_.model, model_count_));
  }
  const std::pair<const Tally*, const char*> lines[] = {
      {&tally_.unnamed_chains, "unnamed chain, named by a letter"},
      {&tally_.split_chains, "parts of one chain that are not bonded became chains of their own"},
      {&tally_.alternates, "alternate locations, highest occupancy kept"},
      {&tally_.variants,
       "positions with two kinds of residue, the one with a backbone and the highest occupancy "
       "kept"},
      {&tally_.no_phosphorus, "nucleotides without P, placed at the next atom of the backbone"},
      {&tally_.modified_nucleotides,
       "nucleotides of other names, which count as these where the force field lacks them"},
      {&tally_.d_residues, "D residues kept as the file has them"},
      {&tally_.unknown, "residues of unknown kind in the chain kept as UNK"},
      {&tally_.insertions, "residues with insertion codes, in the file's order"},
      {&tally_.without_calpha, "residues without C-alpha left out, chain broken there"},
      {&tally_.gaps, "chain broken where neighbours are not bonded (missing residues)"},
      {&tally_.closed, "closed chains, bonded from the last residue to the first"},
      {&tally_.other_lengths,
       "chains whose length is not that of the file's own sequence (SEQRES or entity)"},
      {&tally_.caps, "capping groups left out"},
      {&tally_.nucleic_acids, "nucleic acid residues left out"},
      {&tally_.ligands, "ligands and ions left out"},
      {&tally_.water, "water left out"}};
  for (const auto& [tally, what] : lines) tally->note(what, notes);
}

void Assembler::fail_empty() const {
  std::vector<std::string> found;
  const std::pair<const Tally*, const char*> counts[] = {
      {&tally_.without_calpha, "residues without C-alpha"},
      {&tally_.nucleic_acids, "nucleic acid residues"},
      {&tally_.ligands, "ligands and ions"},
      {&tally_.caps, "capping groups"},
      {&tally_.water, "waters"}};
  for (const auto& [tally, what] : counts) {
    if (tally->count() > 0) found.push_back(fmt::format("{} {}", tally->count(), what));
  }
  throw StructureError(fmt::format(
      "{}: no amino acid residue with a C-alpha atom{}; found {}; expected a protein: choose other "
      "{}{}",
      name_, selection_.chains.empty() ? "" : " in the selected chains and residues",
      found.empty() ? "nothing" : fmt::format("{}", fmt::join(found, ", ")),
      selection_.chains.empty() ? "coordinates" : "chains or residues",
      tally_.nucleic_acids.count() > 0 ? ", or a force field with nucleotides" : ""));
}

Structure Assembler::run() {
  name_chains();
  find_protein();
  record_contents();
  recognise_prediction();
  name_parts();
  select();
  choose_locations();
  keep_chains();
  if (result_.chains.empty()) fail_empty();
  bond_chains();
  compare_with_sequences();
  write_notes();
  for (std::string& note : inspect(result_)) result_.notes.push_back(std::move(note));
  return std::move(result_);
}

}  // namespace

Structure assemble(RawStructure raw, const std::string& name, const Selection& selection) {
  return Assembler(std::move(raw), name, selection).run();
}

}  // namespace nfold::structure
