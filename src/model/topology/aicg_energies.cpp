// Energies of AICG2+ from the atoms of two residues.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/aicg_energies.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/structure/point.hpp"

namespace nfold::topology {
namespace aicg {
namespace {

// Constants as in genesis_cg_tool (src/lib/constants.jl), lengths in nm.
constexpr double native_nm = 0.65, short_nm = 0.5, hydrogen_bond_nm = 0.32, salt_bridge_nm = 0.35;
constexpr double weakest_kcal_mol = -0.5, strongest_kcal_mol = -5;
constexpr double kilocalorie = 4.184;  // [kJ]

/// Classes of pairs of atoms nearer than short_nm.
enum Class { hydrogen_bond, salt_bridge, donor_acceptor, with_charge, with_carbon, other, classes };
/// Weights [kcal/mol] of the classes by the number of backbone atoms in a pair: 0, 1, 2. Salt
/// bridges and charges belong to side chains.
constexpr std::array<std::array<double, classes>, 3> weights{
    {{-5.7267, -12.4878, -0.0308, -0.2168, -0.1113, 0.2306},
     {-3.4819, 0, -0.1809, -0.2984, -0.1209, -0.0487},
     {-1.4247, 0, -0.4921, 0, -0.2404, -0.1035}}};
constexpr double long_range_kcal_mol = -0.0395;  // a pair from short_nm to native_nm
constexpr double offset_kcal_mol = -0.1051;

/// An atom with its roles in contacts.
struct Role {
  bool is_backbone, is_carbon, is_donor, is_acceptor, is_cation, is_anion;
  Role(std::string_view residue, std::string_view atom)
      : is_backbone(is_one_of(atom, {"N", "CA", "C", "O", "OXT"})),
        is_carbon(atom.starts_with('C')),
        is_donor(atom.starts_with('N') || (atom.starts_with('S') && residue == "CYS") ||
                 (residue == "SER" && atom == "OG") || (residue == "THR" && atom == "OG1") ||
                 (residue == "TYR" && atom == "OH")),
        is_acceptor(atom.starts_with('O') || atom.starts_with('S')),
        is_cation((residue == "ARG" && is_one_of(atom, {"NH1", "NH2"})) ||
                  (residue == "LYS" && atom == "NZ")),
        is_anion((residue == "GLU" && is_one_of(atom, {"OE1", "OE2"})) ||
                 (residue == "ASP" && is_one_of(atom, {"OD1", "OD2"}))) {}
  static bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  }
};

Class classify(const Role& a, const Role& b, bool both_backbone, bool both_side, double r_nm) {
  const bool bonds = (a.is_donor && b.is_acceptor) || (a.is_acceptor && b.is_donor);
  const bool opposite = (a.is_cation && b.is_anion) || (a.is_anion && b.is_cation);
  const bool charged = !both_backbone && (a.is_cation || a.is_anion || b.is_cation || b.is_anion);
  if (bonds && opposite && both_side) return r_nm < salt_bridge_nm ? salt_bridge : with_charge;
  if (bonds && r_nm < hydrogen_bond_nm) return hydrogen_bond;
  if (charged) return with_charge;
  if (bonds) return donor_acceptor;
  return a.is_carbon || b.is_carbon ? with_carbon : other;
}

double sum_pairs_kcal_mol(const structure::Residue& first, const structure::Residue& second) {
  double energy = offset_kcal_mol;
  bool has_salt_bridge = false;
  for (const structure::Atom& a : first.heavy_atoms) {
    const Role role_a(first.name, a.name);
    for (const structure::Atom& b : second.heavy_atoms) {
      const double r = structure::distance(a.position_nm, b.position_nm);
      if (r >= native_nm) continue;
      if (r >= short_nm) {
        energy += long_range_kcal_mol;
        continue;
      }
      const Role role_b(second.name, b.name);
      const int backbone = int{role_a.is_backbone} + int{role_b.is_backbone};
      Class one = classify(role_a, role_b, backbone == 2, backbone == 0, r);
      // Two residues have one salt bridge; further pairs are charges near each other.
      if (one == salt_bridge && has_salt_bridge) one = with_charge;
      has_salt_bridge |= one == salt_bridge;
      energy += weights.at(static_cast<std::size_t>(backbone)).at(one);
    }
  }
  return energy;
}

}  // namespace
}  // namespace aicg

bool have_aicg_contact(const structure::Residue& first, const structure::Residue& second) {
  return std::ranges::any_of(first.heavy_atoms, [&](const structure::Atom& a) {
    return std::ranges::any_of(second.heavy_atoms, [&](const structure::Atom& b) {
      return structure::distance(a.position_nm, b.position_nm) < aicg::native_nm;
    });
  });
}

double aicg_strength_kj_mol(const structure::Residue& first, const structure::Residue& second) {
  return -aicg::kilocalorie * std::clamp(aicg::sum_pairs_kcal_mol(first, second),
                                         aicg::strongest_kcal_mol, aicg::weakest_kcal_mol);
}

}  // namespace nfold::topology
