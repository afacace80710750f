// Builder of a molecule of a condensate model: residues, bonds, terms that hold its domains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/residue_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/structure/point.hpp"
#include "model/topology/elastic_network.hpp"
#include "model/topology/flexible_angles.hpp"
#include "model/topology/go_domains.hpp"
#include "model/topology/modified_residues.hpp"
#include "model/topology/pieces.hpp"
#include "model/topology/potentials.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

/// Returns the mass of a heavy atom of a protein by its name, standard atomic weights; 0 for
/// others.
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
    default:
      return 0;
  }
}

class ResidueBuilder {
 public:
  ResidueBuilder(const structure::Structure& structure, const std::vector<int>& domain_of,
                 const ResidueModel& model)
      : structure_(structure), domain_of_(domain_of), model_(model) {}

  Topology run() {
    topology_.species.push_back({structure_.name, static_cast<int>(structure_.chains.size())});
    for (const structure::Chain& chain : structure_.chains) add_chain(chain);
    const auto& options = model_.options;
    has_held_domains_ = options.domains != input::FoldedDomains::none;
    if (has_held_domains_) check_coordinates();
    for (int i = 0; i < topology_.residue_count(); ++i) {
      const bool is_bridged = is_bridged_[static_cast<std::size_t>(i)] != 0;
      const int next = is_bridged ? i + 1 : next_residue(topology_, i);
      if (next >= 0) add_bond(i, next, is_bridged);
    }
    if (options.domains == input::FoldedDomains::elastic_network) {
      add_elastic_network(topology_, options.restraint_k_kj_mol_nm2, options.restraint_cutoff_nm);
    } else if (options.domains == input::FoldedDomains::go && has_domain()) {
      add_go_domains(topology_, structure_, model_.go);
    }
    if (options.flexible_angles) add_flexible_angles(topology_);
    sort_exclusions(topology_);
    count_pieces(topology_);
    for (auto& note : describe_modified_residues(structure_, &model_.table)) {
      topology_.notes.push_back(std::move(note));
    }
    topology_.short_range = make_short_range(model_);
    topology_.electrostatics = make_electrostatics(model_);
    return std::move(topology_);
  }

 private:
  void add_chain(const structure::Chain& chain) {
    const int index = static_cast<int>(topology_.chains.size());
    topology_.chains.push_back(
        {chain.name, topology_.residue_count(), static_cast<int>(chain.residues.size())});
    topology_.chains.back().is_closed = chain.is_closed;
    for (std::size_t i = 0; i < chain.residues.size(); ++i) add_residue(chain, i, index);
    add_ends(topology_.chains.back());
  }

  void add_residue(const structure::Chain& chain, std::size_t i, int chain_index) {
    const structure::Residue& r = chain.residues[i];
    Residue bead;
    bead.name = r.name;
    bead.number = r.number;
    bead.insertion_code = r.insertion_code;
    bead.chain = chain_index;
    bead.segment = segment_;
    bead.domain = domain_of_[topology_.residues.size()];
    const input::ResidueParameters* row = row_for(r, model_.table);
    topology_.residues.push_back(bead);
    if (row == nullptr) {
      throw StructureError(fmt::format(
          "{}: {}{} is none of the residues of the force field; take it out by a selection, rename "
          "it, or add it to a table of your own (force_field.table)",
          structure_.name, label(topology_.residue_count() - 1),
          r.file_name.empty() || r.file_name == r.name ? "" : " (" + r.file_name + ")"));
    }
    Residue& mine = topology_.residues.items().back();
    mine.type = static_cast<int>(row - model_.table.residues.data());
    mine.mass_amu = row->mass_amu;
    mine.charge_e = row->charge_e;
    if (row->name == "HIS" && model_.table.histidine_pka > 0) {
      mine.charge_e = histidine_charge(model_.options.ph, model_.table.histidine_pka);
    }
    mine.at_centre_of_mass = at_centre_of_mass(mine);
    topology_.native_nm.push_back(bead_position_nm(mine, r));
    is_bridged_.push_back(r.bridged_to_next ? 1 : 0);
    if (!r.bonded_to_next || i + 1 == chain.residues.size()) ++segment_;
  }

  [[nodiscard]] bool at_centre_of_mass(const Residue& bead) const {
    switch (model_.options.bead) {
      case input::BeadPosition::calpha:
        return false;
      case input::BeadPosition::centre_of_mass:
        return true;
      case input::BeadPosition::by_model:
        break;
    }
    switch (model_.table.bead) {
      case input::TableBead::calpha:
        return false;
      case input::TableBead::centre_of_mass:
        return true;
      case input::TableBead::centre_of_mass_in_domains:
        break;
    }
    // Terms of the go model refer to C-alpha atoms.
    return bead.domain >= 0 && model_.options.domains != input::FoldedDomains::go;
  }

  /// Adds the charges and masses of chain ends to those of the residues: an N-terminal lysine
  /// carries +2.
  void add_ends(const Chain& chain) {
    if (chain.count == 0 || chain.is_closed) return;
    auto& residues = topology_.residues.items();
    Residue& first = residues[static_cast<std::size_t>(chain.first)];
    Residue& last = residues[static_cast<std::size_t>(chain.first + chain.count - 1)];
    const auto ends = model_.options.charged_ends;
    if (input::has_charged_first(ends)) {
      first.charge_e += 1;
      first.mass_amu += model_.table.first_residue_mass_amu;
    }
    if (input::has_charged_last(ends)) {
      last.charge_e -= 1;
      last.mass_amu += model_.table.last_residue_mass_amu;
    }
  }

  [[nodiscard]] bool has_domain() const {
    return std::any_of(topology_.residues.begin(), topology_.residues.end(),
                       [](const Residue& r) { return r.domain >= 0; });
  }

  void check_coordinates() const {
    for (int i = 0; i < topology_.residue_count(); ++i) {
      if (residue(i).domain < 0 || has_coordinates(i)) continue;
      throw StructureError(
          fmt::format("{}: {} is in a folded domain, but there is no structure; give one, or "
                      "force_field.domains = none",
                      structure_.name, label(i)));
    }
    const bool go = model_.options.domains == input::FoldedDomains::go;
    const bool centres = model_.options.bead == input::BeadPosition::centre_of_mass;
    if (go && centres && has_domain()) {
      throw StructureError(fmt::format(
          "{}: force_field.bead = centre-of-mass with go domains, whose terms are those of C-alpha "
          "atoms; take calpha, or domains = elastic-network",
          structure_.name));
    }
  }

  void add_bond(int i, int j, bool is_bridge) {
    Bond bond{i, j, model_.options.bond_length_nm, model_.options.bond_k_kj_mol_nm2};
    const bool in_domain = residue(i).domain >= 0 || residue(j).domain >= 0;
    const bool keeps_length = is_bridge || (has_held_domains_ && in_domain);
    if (keeps_length && has_coordinates(i) && has_coordinates(j)) {
      bond.length_nm = structure::distance(at(i), at(j));
      require_distinct_positions(topology_, i, j, bond.length_nm);
    }
    topology_.bonds.push_back(bond);
    topology_.exclusions.emplace_back(std::minmax(i, j));
  }

  [[nodiscard]] Residue residue(int i) const {
    return topology_.residues[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::array<double, 3> at(int i) const {
    return topology_.native_nm[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool has_coordinates(int i) const { return !std::isnan(at(i)[0]); }
  [[nodiscard]] std::string label(int i) const { return residue_label(topology_, i); }

  const structure::Structure& structure_;
  const std::vector<int>& domain_of_;
  const ResidueModel& model_;
  Topology topology_;
  std::vector<char> is_bridged_;  ///< (residues) bonded across a gap to the next one
  int segment_ = 0;
  bool has_held_domains_ = false;
};

}  // namespace

double histidine_charge(double ph, double pka) {
  // Rounded to 2^-40 e, because the last bits of pow() depend on the system and would change the
  // hash.
  constexpr double grid = 0x1p40;
  return std::nearbyint(grid / (1 + std::pow(10, ph - pka))) / grid;
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

Topology build_residue_model(const structure::Structure& structure,
                             const std::vector<int>& domain_of, const ResidueModel& model) {
  return ResidueBuilder(structure, domain_of, model).run();
}

}  // namespace nfold::topology
