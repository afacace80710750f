// Builder of the C-alpha structure-based model: terms of one copy, then copies on a lattice.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/go_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "input/force_field.hpp"
#include "model/structure/tally.hpp"
#include "model/topology/assembly.hpp"
#include "model/topology/geometry.hpp"
#include "model/topology/pieces.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

// Limits of SMOG 2's templates; outside them a structure is unusual, but can be simulated.
constexpr double shortest_bond_nm = 0.08, longest_bond_nm = 0.5;
constexpr double smallest_angle_rad = structure::pi / 6, largest_angle_rad = structure::pi * 5 / 6;
constexpr double shortest_contact_nm = 0.2;
// Limit below which a dihedral has no direction.
constexpr double collinear_sine = 1e-4;
// Mass of a residue of unknown name: the mean over proteins.
constexpr double mean_residue_mass_amu = 110;

/// Returns the force field with real masses, for concentrations. The go model's own masses are
/// reduced.
const input::ForceField& field_of_real_masses() {
  static const input::ForceField field =
      input::evaluate(*input::builtin_force_field("calvados2"), {});
  return field;
}

double real_mass_amu(const std::string& name) {
  const auto& field = field_of_real_masses();
  const int bead = field.find_bead(name);
  return bead < 0 ? mean_residue_mass_amu : field.beads[static_cast<std::size_t>(bead)].mass_amu;
}

class GoBuilder {
 public:
  GoBuilder(const structure::Structure& structure, const GoModel& model)
      : structure_(structure), model_(model) {}

  Topology run() {
    add_residues();
    // Bonds come first, so that coincident residues are reported as such, not as an impossible
    // angle.
    const int count = topology_.residue_count();
    for (int i = 0; i < count; ++i) {
      const int next = is_bridged_[static_cast<std::size_t>(i)] != 0 ? i + 1 : after(i);
      if (next >= 0) add_bond(i, next);
    }
    for (int i = 0; i < count; ++i) {
      const int j = after(i), k = after(j), l = after(k);
      if (k >= 0 && are_held(i, j, k)) add_angle(i, j, k);
      if (l >= 0 && are_held(i, j, k, l)) add_dihedral(i, j, k, l);
    }
    add_contacts();
    write_notes();
    sort_exclusions(topology_);
    count_pieces(topology_);
    topology_.short_range.epsilon_kj_mol = model_.repulsion_epsilon * model_.epsilon_kj_mol;
    topology_.short_range.sigma_nm = model_.repulsion_sigma_nm;
    topology_.short_range.cutoff_nm = model_.repulsion_cutoff_nm;
    return std::move(topology_);
  }

 private:
  void add_residues();
  void add_bond(int i, int j);
  void add_angle(int i, int j, int k);
  void add_dihedral(int i, int j, int k, int l);
  void exclude(int i, int j) { topology_.exclusions.emplace_back(std::minmax(i, j)); }
  void add_contacts();
  void write_notes();
  template <class... Ids>
  [[nodiscard]] bool are_held(Ids... ids) const {
    const auto& plddt = structure_.confidence.plddt;
    return plddt.empty() || (... && (plddt[static_cast<std::size_t>(ids)] >= model_.least_plddt));
  }
  [[nodiscard]] int after(int i) const { return i < 0 ? -1 : next_residue(topology_, i); }
  [[nodiscard]] Residue residue(int i) const {
    return topology_.residues[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Point at(int i) const { return topology_.native_nm[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::string label(int i) const { return residue_label(topology_, i); }

  const structure::Structure& structure_;
  const GoModel& model_;
  Topology topology_;
  std::vector<char> is_bridged_;  ///< (residues) bonded across a gap to the next one
  structure::Tally odd_bonds_, odd_angles_, odd_contacts_;
};

void GoBuilder::add_residues() {
  topology_.species.push_back({structure_.name, static_cast<int>(structure_.chains.size())});
  int segment = 0;
  for (const structure::Chain& chain : structure_.chains) {
    const int index = static_cast<int>(topology_.chains.size());
    topology_.chains.push_back(
        {chain.name, topology_.residue_count(), static_cast<int>(chain.residues.size())});
    topology_.chains.back().is_closed = chain.is_closed;
    for (std::size_t i = 0; i < chain.residues.size(); ++i) {
      const structure::Residue& r = chain.residues[i];
      Residue bead{r.name, r.number, r.insertion_code, index, segment, model_.mass_amu};
      bead.real_mass_amu = real_mass_amu(r.name);
      topology_.residues.push_back(bead);
      topology_.native_nm.push_back(r.calpha_nm);
      is_bridged_.push_back(r.bridged_to_next ? 1 : 0);
      if (!r.bonded_to_next || i + 1 == chain.residues.size()) ++segment;
    }
    if (chain.residues.empty()) continue;
    // Mass of the water at the chain ends.
    const auto& protein = field_of_real_masses().chains.front();
    auto& beads = topology_.residues.items();
    beads[beads.size() - chain.residues.size()].real_mass_amu += protein.first_mass_amu;
    beads.back().real_mass_amu += protein.last_mass_amu;
  }
}

void GoBuilder::add_bond(int i, int j) {
  const double length = structure::distance(at(i), at(j));
  require_distinct_positions(topology_, i, j, length);
  if (length < shortest_bond_nm || length > longest_bond_nm) {
    odd_bonds_.add(fmt::format("{} to {} {:.3f} nm", label(i), label(j), length));
  }
  topology_.bonds.push_back({i, j, length, model_.bond_k * model_.epsilon_kj_mol});
  exclude(i, j);
}

void GoBuilder::add_angle(int i, int j, int k) {
  const double theta = angle_at(at(i), at(j), at(k));
  if (std::sin(theta) < collinear_sine) {
    throw StructureError(fmt::format(
        "{}: {}, {} and {} stand in one line ({:.4f} degrees); a dihedral has no angle there: "
        "correct the coordinates",
        structure_.name, label(i), label(j), label(k), theta * 180 / structure::pi));
  }
  if (theta < smallest_angle_rad || theta > largest_angle_rad) {
    odd_angles_.add(fmt::format("{} {:.1f}", label(j), theta * 180 / structure::pi));
  }
  topology_.angles.push_back({i, j, k, theta, model_.angle_k * model_.epsilon_kj_mol});
  exclude(i, k);
}

void GoBuilder::add_dihedral(int i, int j, int k, int l) {
  topology_.dihedrals.push_back({i, j, k, l, dihedral_at(at(i), at(j), at(k), at(l)),
                                 model_.dihedral_k1 * model_.epsilon_kj_mol,
                                 model_.dihedral_k3 * model_.epsilon_kj_mol});
  exclude(i, l);
}

void GoBuilder::add_contacts() {
  const double epsilon = model_.contact_epsilon * model_.epsilon_kj_mol;
  const auto contacts = structure::native_contacts(structure_, model_.contacts);
  for (const auto& [i, j, atom_pairs, distance] : contacts) {
    if (!are_held(i, j)) continue;
    require_distinct_positions(topology_, i, j, distance);
    if (distance < shortest_contact_nm) {
      odd_contacts_.add(fmt::format("{} to {} {:.3f} nm", label(i), label(j), distance));
    }
    if (model_.contact_potential == system::ContactPotential::gaussian) {
      topology_.contacts_gaussian.push_back({i, j, distance, epsilon, model_.gaussian_sigma_nm,
                                             model_.gaussian_a_nm12 * model_.epsilon_kj_mol});
    } else {
      topology_.contacts_12_10.push_back({i, j, distance, epsilon});
    }
    topology_.exclusions.emplace_back(i, j);
  }
}

void GoBuilder::write_notes() {
  auto& notes = topology_.notes;
  if (const auto free = std::ranges::count_if(structure_.confidence.plddt,
                                              [&](double p) { return p < model_.least_plddt; });
      free > 0) {
    notes.push_back(fmt::format(
        "residues with pLDDT below {:g}, free of native angles, dihedrals and contacts: {} of {} "
        "(force_field.confidence.least_plddt: 0 holds them)",
        model_.least_plddt, free, structure_.confidence.plddt.size()));
  }
  odd_bonds_.note("bonds not of 0.08 to 0.5 nm", notes);
  odd_angles_.note("angles not of 30 to 150 degrees", notes);
  odd_contacts_.note("contacts below 0.2 nm", notes);
  std::size_t atoms = 0;
  for (const structure::Chain& chain : structure_.chains) {
    for (const structure::Residue& r : chain.residues) atoms += r.heavy_atoms.size();
  }
  if (model_.contacts.map != system::ContactMap::calpha && atoms == topology_.residues.size()) {
    notes.emplace_back(
        "the structure has C-alpha atoms only, so contacts between side chains are missing: take "
        "those of C-alpha atoms (nfold prepare --contacts calpha, or force_field.contacts.map: "
        "calpha)");
  }
  if (topology_.contact_count() == 0) {
    notes.emplace_back(
        "no native contacts: nothing holds this structure together; check the contact map");
  }
}

}  // namespace

Topology build_go_model(const structure::Structure& structure, const GoModel& model) {
  Part part{GoBuilder(structure, model).run(), {}, model.copies};
  return assemble({std::move(part)}, model.copy_spacing_nm);
}

}  // namespace nfold::topology
