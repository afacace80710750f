// Beads and terms of a component, by the rules of the CALVADOS package.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/molecule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "model/structure/confidence.hpp"
#include "model/topology/confidence_go.hpp"

namespace nfold::calvados {
namespace {

using topology::Molecule;

constexpr double scaled_charge_cutoff_nm = 4;  // cutoff of scaled go pairs, whatever cutoff_yu is

class ComponentBuilder {
 public:
  ComponentBuilder(const Folder& folder, const Component& component, BeadTypes& types,
                   std::vector<std::string>& notes)
      : folder_(folder), component_(component), types_(types), notes_(notes) {}

  ComponentMolecule run() {
    rows_ = parse_residues(text_of(component_.residues, "fresidues"), found_);
    read_structure();
    read_letters();
    add_beads();
    if (is_rna()) {
      add_rna_terms();
    } else {
      add_protein_terms();
    }
    add_start();
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_rna() const { return component_.type == MoleculeType::rna; }
  [[nodiscard]] bool is_harmonic() const {
    return component_.is_restrained && component_.restraint_type == RestraintType::harmonic;
  }
  [[nodiscard]] bool is_go() const {
    return component_.is_restrained && component_.restraint_type == RestraintType::go;
  }
  [[nodiscard]] int count() const { return static_cast<int>(made_.letters.size()); }
  [[nodiscard]] double epsilon() const { return folder_.config.epsilon_kj_mol(); }

  /// Returns the text of a file that a key names, and sets found_.
  std::string text_of(const std::string& named, std::string_view key) {
    const auto file =
        find_file(folder_, named, fmt::format("{}.{}", component_.where, key), notes_);
    found_ = file.string();
    return core::read_required_text(file);
  }
  /// Returns the text of NAME.SUFFIX in the folder of structures.
  std::string text_of_structure(std::string_view suffix) {
    return text_of((std::filesystem::path(component_.pdb_folder) /
                    fmt::format("{}.{}", component_.name, suffix))
                       .string(),
                   "pdb_folder");
  }

  void read_structure() {
    if (!component_.is_restrained) return;
    structure_ = parse_pdb(text_of_structure("pdb"), found_);
    positions_ = is_rna() ? rna_positions(*structure_, component_.use_centre_of_mass, found_)
                          : protein_positions(*structure_, component_.use_centre_of_mass, found_);
    if (component_.is_periodic) {
      cell_ = structure_->cell_nm;
      if (!cell_) {
        core::refuse(found_, "no CRYST1 with right angles", "periodic: true takes its cell");
      }
    }
    if (is_harmonic()) {
      const std::size_t residues = structure_->residues.size();
      domains_ =
          parse_domains(text_of(component_.domains, "fdomains"), component_.name, residues, found_);
    }
    if (is_go()) read_confidence();
  }

  void read_confidence() {
    const auto residues = structure_->residues.size();
    for (const auto& residue : structure_->residues) {
      double sum = 0;
      for (const auto& atom : residue.atoms) sum += static_cast<double>(atom.b_factor);
      confidence_.plddt.push_back(std::max(sum / static_cast<double>(residue.atoms.size()), 0.0));
    }
    const std::string text = text_of_structure("json");
    auto table = structure::parse_confidence(text, found_);
    if (table.side != residues) {
      core::refuse(found_, "a PAE of " + core::pluralise(table.side, "residue"),
                   fmt::format("the structure has {}", residues));
    }
    confidence_.pae_angstrom = std::move(table.pae_angstrom);
  }

  [[nodiscard]] topology::PairConfidence confidence(int i, int j) const {
    constexpr double percent = 100;
    topology::ConfidenceGo model;
    model.plddt_centre = component_.plddt_shift * percent;
    model.plddt_slope = component_.plddt_width / percent;
    model.pae_centre_nm = component_.pae_shift_nm;
    model.pae_slope_per_nm = component_.pae_width_per_nm;
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    return topology::pair_confidence(confidence_.plddt[a], confidence_.plddt[b],
                                     confidence_.symmetric_pae(a, b) / angstroms_per_nm, model);
  }

  /// Sets the letters of beads, and the first and last residues of segments.
  void read_letters() {
    const bool is_ptm = component_.type == MoleculeType::ptm_protein;
    if (component_.is_restrained && !is_ptm) {
      set_letters_of_structure();
      first_ = structure_->first_residues();
      last_ = structure_->last_residues();
    } else {
      const std::string fasta = text_of(component_.fasta, "ffasta");
      std::string sequence = find_sequence(fasta, component_.name, found_);
      main_beads_ = static_cast<int>(sequence.size());
      if (is_ptm) add_grafts(fasta, sequence);
      for (const char letter : sequence) {
        if (is_rna()) made_.letters += 'p';
        made_.letters += letter;
      }
      first_ = {0};
      last_ = {static_cast<int>(sequence.size()) - 1};
    }
    if (component_.is_restrained && positions_.size() != made_.letters.size()) {
      core::refuse(component_.where,
                   fmt::format("{} beads in the sequence, {} in the structure",
                               made_.letters.size(), positions_.size()),
                   "both must have the same residues");
    }
    for (std::size_t i = 0; i < made_.letters.size(); ++i) {
      if (rows_.contains(made_.letters[i])) continue;
      core::refuse(component_.where,
                   fmt::format("bead {} has the letter {}", i + 1, made_.letters[i]),
                   fmt::format("{} has no row for it", component_.residues));
    }
  }

  void set_letters_of_structure() {
    for (std::size_t i = 0; i < structure_->residues.size(); ++i) {
      const auto& residue = structure_->residues[i];
      if (is_rna()) {
        made_.letters += 'p';
        made_.letters += domain_of(static_cast<int>(i)) >= 0 ? 's' : 'r';
        continue;
      }
      const auto letter = to_letter(residue.name);
      if (!letter) {
        core::refuse(fmt::format("{}.pdb:{}", component_.name, residue.line),
                     fmt::format("residue {} {}", residue.name, residue.number),
                     "the package knows the 20 residues, HSD HSE HID HIE ASH GLH LYN, and names "
                     "of one letter: rename or remove it");
      }
      made_.letters += *letter;
    }
    main_beads_ = count();
  }

  void add_grafts(const std::string& fasta, std::string& sequence) {
    const std::string graft = find_sequence(fasta, component_.ptm_name, found_);
    graft_beads_ = static_cast<int>(graft.size());
    for (const auto location : component_.ptm_locations) {
      if (location < 1 || location > main_beads_) {
        core::refuse(component_.where, fmt::format("ptm_locations has {}", location),
                     fmt::format("places are 1 to {}", main_beads_));
      }
      sequence += graft;
    }
  }

  [[nodiscard]] const ResidueRow& row(int i) const {
    return rows_.at(made_.letters[static_cast<std::size_t>(i)]);
  }
  /// Returns the first domain of a residue of the structure; -1: none.
  [[nodiscard]] int domain_of(int residue) const {
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      if (std::ranges::find(domains_[d], residue) != domains_[d].end()) return static_cast<int>(d);
    }
    return -1;
  }
  [[nodiscard]] int residue_of(int bead) const { return is_rna() ? bead / 2 : bead; }

  void add_beads() {
    const bool is_crowder = component_.type == MoleculeType::crowder;
    for (int i = 0; i < count(); ++i) {
      Molecule::Bead bead;
      bead.name = types_.name_of(row(i), is_crowder);
      if (is_harmonic()) bead.domain = domain_of(residue_of(i));
      if (component_.is_restrained) bead.position_nm = positions_[static_cast<std::size_t>(i)];
      made_.molecule.beads.push_back(std::move(bead));
      add_label(i);
    }
    if (is_crowder || is_rna()) return;
    constexpr double first_mass = 2, last_mass = 16;
    for (const int i : first_) {
      if (component_.has_charged_first()) add_end(i, first_mass, 1);
    }
    for (const int i : last_) {
      if (component_.has_charged_last()) add_end(i, last_mass, -1);
    }
  }
  void add_end(int i, double mass_amu, double charge_e) {
    auto& bead = made_.molecule.beads[static_cast<std::size_t>(i)];
    bead.added_mass_amu += mass_amu;
    bead.added_charge_e += charge_e;
  }
  void add_label(int i) {
    const bool names_residues =
        component_.type == MoleculeType::protein || component_.type == MoleculeType::crowder;
    if (!is_rna()) {
      made_.labels.push_back(
          {names_residues ? row(i).three : std::string(1, row(i).letter), "CA", i + 1});
      return;
    }
    const char letter = made_.letters[static_cast<std::size_t>(i | 1)];
    made_.labels.push_back(
        {std::string(1, letter), fmt::format("{}{}", letter, i % 2 == 0 ? 'P' : 'N'), i / 2 + 1});
  }

  [[nodiscard]] double reference(int i, int j) const {
    return distance_nm(positions_[static_cast<std::size_t>(i)],
                       positions_[static_cast<std::size_t>(j)], cell_);
  }
  /// True if both beads, or one of them, are in one domain.
  [[nodiscard]] bool share_domain(int i, int j) const {
    return std::ranges::any_of(domains_, [&](const auto& domain) {
      const auto has = [&](int bead) {
        return std::ranges::find(domain, residue_of(bead)) != domain.end();
      };
      return has(i) && has(j);
    });
  }
  [[nodiscard]] bool is_held(int i, int j) const {
    return domain_of(residue_of(i)) >= 0 || domain_of(residue_of(j)) >= 0;
  }
  static bool has(const std::vector<int>& sorted, int value) {
    return std::ranges::binary_search(sorted, value);
  }

  /// Bonds of a component other than RNA, i < j.
  [[nodiscard]] std::vector<std::pair<int, int>> bonded_pairs() const {
    std::vector<std::pair<int, int>> pairs;
    const int beads = count();
    const auto chain = [&](int first, int last) {
      for (int i = first; i + 1 < last; ++i) pairs.emplace_back(i, i + 1);
    };
    switch (component_.type) {
      case MoleculeType::cyclic:
        chain(0, beads);
        if (beads > 2) pairs.emplace_back(0, beads - 1);
        break;
      case MoleculeType::seastar:
        component_.ends > 2 ? add_arms(pairs) : add_segments(pairs);
        break;
      case MoleculeType::ptm_protein:
        chain(0, main_beads_);
        for (std::size_t k = 0; k < component_.ptm_locations.size(); ++k) {
          const int first = main_beads_ + static_cast<int>(k) * graft_beads_;
          pairs.emplace_back(static_cast<int>(component_.ptm_locations[k]) - 1, first);
          chain(first, first + graft_beads_);
        }
        break;
      case MoleculeType::crowder:
      case MoleculeType::protein:
      case MoleculeType::rna:
        add_segments(pairs);
        break;
    }
    std::ranges::sort(pairs);
    return pairs;
  }
  void add_segments(std::vector<std::pair<int, int>>& pairs) const {
    for (int i = 0; i + 1 < count(); ++i) {
      if (!has(last_, i)) pairs.emplace_back(i, i + 1);
    }
  }
  /// Bead 0 is the hub of arms of equal length; the last may be shorter.
  void add_arms(std::vector<std::pair<int, int>>& pairs) const {
    const int arms = static_cast<int>(component_.ends);
    const int length = std::max((count() - 1 + arms - 1) / arms, 1);
    for (int j = 1; j < count(); ++j) {
      pairs.emplace_back((j - 1) % length == 0 ? 0 : j - 1, j);
    }
  }

  void add_protein_terms() {
    std::set<std::pair<int, int>> bonded;
    for (const auto& [i, j] : bonded_pairs()) {
      made_.molecule.bonds.push_back({i, j, bond_length(i, j), component_.bond_k_kj_mol_nm2});
      bonded.emplace(i, j);
    }
    if (!component_.is_restrained) return;
    for (int i = 0; i < count(); ++i) {
      for (int j = i + 2; j < count(); ++j) {
        const double distance = reference(i, j);
        if (distance > component_.restraint_cutoff_nm) continue;
        const bool is_added = is_harmonic() ? add_spring(i, j, distance) : add_go(i, j, distance);
        if (is_added && bonded.contains({i, j})) {
          notes_.push_back(fmt::format(
              "{}: beads {} and {} are bonded and restrained, which OpenMM refuses: both act",
              component_.where, i + 1, j + 1));
        }
      }
    }
  }

  [[nodiscard]] double bond_length(int i, int j) const {
    const double mean = 0.5 * (row(i).bond_length_nm + row(j).bond_length_nm);
    if (is_harmonic()) return is_held(i, j) ? reference(i, j) : mean;
    if (!is_go()) return mean;
    const double part = confidence(i, j).model_length_part();
    return part * mean + (1 - part) * reference(i, j);
  }

  bool add_spring(int i, int j, double distance) {
    if (!share_domain(i, j)) return false;
    made_.molecule.springs.push_back({i, j, distance, component_.restraint_k_kj_mol_nm2});
    return true;
  }

  bool add_go(int i, int j, double distance) {
    const auto pair = confidence(i, j);
    if (pair.weight < topology::least_contact_weight) return false;
    made_.molecule.contacts.push_back({i, j, distance, component_.go_k_kj_mol * pair.weight});
    if (pair.weight < topology::largest_residual_weight) {
      made_.molecule.local_pairs.push_back(
          {i, j, pair.residual * epsilon(), 0.5 * (row(i).sigma_nm + row(j).sigma_nm),
           0.5 * (row(i).lambda + row(j).lambda), folder_.config.short_range_cutoff_nm,
           pair.residual, scaled_charge_cutoff_nm});
    }
    return true;
  }

  /// Beads are backbone, base, backbone, base, ...
  void add_rna_terms() {
    auto& molecule = made_.molecule;
    const int nucleotides = count() / 2;
    for (int n = 0; n < nucleotides; ++n) {
      const int p = 2 * n, base = p + 1;
      molecule.bonds.push_back({p, base, rna_bond_length(p, base), component_.rna_base_k});
      if (has(last_, n)) continue;
      molecule.bonds.push_back({p, p + 2, rna_bond_length(p, p + 2), component_.rna_backbone_k});
      molecule.local_pairs.push_back({base, base + 2, component_.stacking_scale * epsilon(),
                                      stacking_sigma(base, base + 2),
                                      0.5 * (row(base).lambda + row(base + 2).lambda),
                                      component_.stacking_cutoff_nm, 0, scaled_charge_cutoff_nm});
      if (has(last_, n + 1)) continue;
      molecule.angles.push_back({p, p + 2, p + 4, angle(p), component_.rna_angle_k});
      molecule.exclusions.emplace_back(p, p + 4);
    }
    if (!component_.is_restrained) return;
    std::set<std::pair<int, int>> known(molecule.exclusions.begin(), molecule.exclusions.end());
    for (const auto& bond : molecule.bonds) known.emplace(bond.i, bond.j);
    for (const auto& pair : molecule.local_pairs) known.emplace(pair.i, pair.j);
    for (int i = 0; i < count(); ++i) {
      for (int j = i + 2; j < count(); ++j) {
        const double distance = reference(i, j);
        if (known.contains({i, j}) || distance > component_.restraint_cutoff_nm) continue;
        add_spring(i, j, distance);
      }
    }
  }
  [[nodiscard]] double rna_bond_length(int i, int j) const {
    return is_held(i, j) && component_.is_restrained ? reference(i, j) : row(j).bond_length_nm;
  }
  [[nodiscard]] double stacking_sigma(int i, int j) const {
    if (!component_.is_restrained || !is_held(i, j)) return component_.stacking_sigma_nm;
    return reference(i, j) / std::pow(2.0, 1.0 / 6);
  }
  /// Returns the angle of three backbone beads, that of the structure if an outer one is held.
  [[nodiscard]] double angle(int i) const {
    if (!component_.is_restrained || !is_held(i, i + 4)) return component_.rna_angle_rad;
    return component_.use_centre_of_mass ? angle_in<double>(i) : angle_in<float>(i);
  }
  /// Real: precision in which the package computes the angle.
  template <class Real>
  [[nodiscard]] double angle_in(int i) const {
    const auto at = [this](int bead, std::size_t axis) {
      return static_cast<Real>(positions_[static_cast<std::size_t>(bead)][axis]);
    };
    Real product = 0, first = 0, second = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Real a = at(i, axis) - at(i + 2, axis), b = at(i + 4, axis) - at(i + 2, axis);
      product += a * b;
      first += a * a;
      second += b * b;
    }
    return static_cast<double>(std::acos(product / std::sqrt(first) / std::sqrt(second)));
  }

  void add_start() {
    if (component_.is_restrained) {
      made_.start_nm = positions_;
    } else if (is_rna()) {
      std::vector<double> heights;
      for (int i = 1; i < count(); i += 2) heights.push_back(row(i).bond_length_nm);
      made_.start_nm = spiral_shape(heights);
    } else {
      made_.start_nm = compact_shape(made_.letters.size());
    }
  }

  const Folder& folder_;
  const Component& component_;
  BeadTypes& types_;
  std::vector<std::string>& notes_;
  std::string found_;  // the file that was read last
  ResidueRows rows_;
  std::optional<PdbStructure> structure_;
  std::vector<Point> positions_;  // (beads) of the structure
  std::optional<Point> cell_;
  std::vector<std::vector<int>> domains_;
  structure::Confidence confidence_;
  std::vector<int> first_, last_;  // residues that begin and end a segment, ascending
  int main_beads_ = 0, graft_beads_ = 0;
  ComponentMolecule made_;
};

/// Returns the characters of a name that a bead may have.
std::string to_bead_name(const ResidueRow& row) {
  std::string name;
  for (const char c : row.three) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  constexpr std::size_t longest = 5;  // leaves room for a number
  name.resize(std::min(name.size(), longest));
  const bool begins_well = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  return begins_well ? name : fmt::format("B{}", static_cast<int>(row.letter));
}

}  // namespace

const std::string& BeadTypes::name_of(const ResidueRow& row, bool is_crowder) {
  for (const BeadType& type : types_) {
    if (type.row == row && type.is_crowder == is_crowder) return type.name;
  }
  const std::string base = to_bead_name(row);
  std::string name = base;
  for (int n = 2; std::ranges::find(types_, name, &BeadType::name) != types_.end(); ++n) {
    name = fmt::format("{}{}", base, n);
  }
  types_.push_back({name, row, is_crowder});
  return types_.back().name;
}

ComponentMolecule build_component(const Folder& folder, const Component& component,
                                  BeadTypes& types, std::vector<std::string>& notes) {
  return ComponentBuilder(folder, component, types, notes).run();
}

std::vector<Point> compact_shape(std::size_t beads) {
  constexpr double spacing_nm = 0.38;
  int side = 1;
  while (static_cast<std::size_t>(side * side * side) < beads) ++side;
  const int last = side - 1;
  std::vector<Point> shape;
  for (std::size_t bead = 0; bead < beads; ++bead) {
    // The last index runs fastest; each turns back at its ends.
    const int index = static_cast<int>(bead);
    const int i = index / (side * side), row = index / side;
    int j = row % side, k = index % side;
    if (i % 2 == 1) j = last - j;
    if (row % 2 == 1) k = last - k;
    const auto at = [&](int n) { return (n - 0.5 * last) * spacing_nm; };
    shape.push_back({at(i), at(j), at(k)});
  }
  return shape;
}

std::vector<Point> spiral_shape(const std::vector<double>& base_heights_nm) {
  constexpr double arc_nm = 0.59, separation_nm = 0.7;
  constexpr double pitch = separation_nm / (2 * std::numbers::pi);
  double radius = arc_nm, turn = arc_nm / pitch;
  std::vector<Point> shape;
  for (const double height : base_heights_nm) {
    const Point at{radius * std::cos(turn), radius * std::sin(turn), 0};
    shape.push_back(at);
    shape.push_back({at[0], at[1], height});
    turn += arc_nm / radius;
    radius = pitch * turn;
  }
  return shape;
}

}  // namespace nfold::calvados
