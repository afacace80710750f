// Terms of AICG2+ that hold the folded domains of a chain.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/aicg_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "model/topology/aicg_energies.hpp"
#include "model/topology/flexible_angles.hpp"
#include "model/topology/geometry.hpp"

namespace nfold::topology {
namespace {

// Constants of genesis_cg_tool, scheme "general".
constexpr double contact_factor = 0.32, well_13_factor = 1.11, well_14_factor = 0.87;
constexpr double well_13_width_nm = 0.015, well_14_width_rad = 0.15;
constexpr int least_separation = 4;  ///< smallest |i - j| of a native contact in a chain

struct FourierRow {
  std::string_view name;
  std::array<double, 7> kj_mol;  ///< c0, c1, s1, c2, s2, c3, s3
};
/// Rows of genesis_cg_tool's flexible_local_dihedral.itp, by the second residue; any_GLY, any_PRO
/// and GLY_PRO by both inner ones.
constexpr std::array<FourierRow, 23> fourier_table{{
    {"ALA", {9.2282, 0.91337, -0.33263, 0.1887, -1.3259, 0.069036, -0.5753}},
    {"ARG", {9.2207, 0.98993, -0.47823, 0.37865, -1.2318, -0.1318, -0.53513}},
    {"ASN", {9.2546, 1.5272, -0.7891, 0.5025, -0.44267, 0.046442, -0.45187}},
    {"ASP", {9.2031, 1.2117, -0.7573, 0.28577, -0.87655, 0.14309, -0.36484}},
    {"CYS", {9.4634, 2.0167, -0.099998, 0.2205, -1.2104, 0.15146, -0.17949}},
    {"GLN", {9.2307, 1.0878, -0.54978, 0.4707, -1.2401, -0.2184, -0.57153}},
    {"GLU", {9.2286, 0.61923, -0.57321, 0.31631, -1.4213, -0.058994, -0.53388}},
    {"GLY", {9.086, 0.01297, -0.087446, 0.87655, 0.31422, -0.29372, -0.36819}},
    {"HIS", {9.2157, 1.356, -0.48953, 0.26819, -0.96609, -0.12175, -0.12259}},
    {"ILE", {9.5157, 1.9046, -0.39622, -0.49204, -1.4481, -0.095814, -0.24602}},
    {"LEU", {9.3638, 1.5832, -0.77781, 0.045606, -1.3715, -0.28284, -0.32342}},
    {"LYS", {9.2115, 0.77948, -0.6527, 0.38744, -1.2853, -0.19497, -0.53011}},
    {"MET", {9.2914, 1.4652, -0.46777, 0.32719, -1.1293, -0.17071, -0.32886}},
    {"PHE", {9.3538, 1.7234, -0.53681, 0.095814, -1.133, -0.035564, -0.26819}},
    {"PRO", {9.7525, 0.73053, 0.14393, 0.51463, -2.6363, 0.37991, -0.69622}},
    {"SER", {9.2663, 1.0581, -0.34644, 0.56442, -1.415, 0.076986, -0.2184}},
    {"THR", {9.3065, 0.99161, -0.34058, 0.80584, -1.5104, -0.26317, -0.14979}},
    {"TRP", {9.2889, 1.2661, -0.77864, -0.10878, -1.2502, 0.042258, -0.015481}},
    {"TYR", {9.3123, 1.633, -0.52174, 0.054392, -1.097, 0.12175, -0.25815}},
    {"VAL", {9.4487, 1.7171, -0.11213, -0.22343, -1.5217, -0.058158, -0.31464}},
    {"any_GLY", {9.4006, -0.68869, 0.46944, 0.15857, -1.4841, -0.69454, -0.58367}},
    {"any_PRO", {11.338, 2.0292, 3.2217, 0.39664, -3.1271, 0.7845, -1.5477}},
    {"GLY_PRO", {10.417, -1.8882, 3.5531, -0.016736, -0.46652, 1.0887, 0.2661}},
}};

const FourierRow& fourier_row(std::string_view second, std::string_view third) {
  const std::string_view name = third == "PRO"   ? (second == "GLY" ? "GLY_PRO" : "any_PRO")
                                : third == "GLY" ? "any_GLY"
                                                 : second;
  const auto row = std::ranges::find(fourier_table, name, &FourierRow::name);
  if (row == fourier_table.end()) {
    throw structure::StructureError(fmt::format(
        "force_field.domains = aicg2p: there is no dihedral potential for {}; the twenty standard "
        "residues have one",
        second));
  }
  return *row;
}

/// Returns the lowest energy [kJ/mol] of a dihedral, rounded to 2^-40 kJ/mol because the last bits
/// of cosine and sine depend on the system and would change the hash.
double lowest_energy(const FlexibleDihedral& term) {
  constexpr int steps = 3600;
  constexpr double step = 2 * std::numbers::pi / steps;
  double best = 0;
  for (int k = 1; k < steps; ++k) {
    if (term.value(k * step).energy < term.value(best).energy) best = k * step;
  }
  // Bisection of the slope, which changes its sign within a step of the lowest node.
  double below = best - step, above = best + step;
  for (int k = 0; k < 60; ++k) {
    const double middle = (below + above) / 2;
    (term.value(middle).slope < 0 ? below : above) = middle;
  }
  constexpr double grid = 0x1p40;
  return std::nearbyint(grid * term.value(below).energy) / grid;
}

class AicgBuilder {
 public:
  AicgBuilder(Topology& topology, const structure::Structure& structure) : topology_(topology) {
    for (std::size_t c = 0; c < structure.chains.size(); ++c) {
      const structure::Chain& chain = structure.chains[c];
      // Chains of other kinds have other beads and no domains of this model.
      if (chain.kind != "protein") {
        atoms_.resize(atoms_.size() + static_cast<std::size_t>(topology.chains[c].count));
        continue;
      }
      for (const structure::Residue& residue : chain.residues) atoms_.push_back(&residue);
    }
  }

  void run() {
    for (int i = 0; i < topology_.residue_count(); ++i) {
      const int j = after(i), k = after(j), l = after(k);
      if (k >= 0) add_angle(i, j, k);
      if (l >= 0) add_dihedral(i, j, k, l);
      if (k >= 0) exclude(i, k);
      if (l >= 0) exclude(i, l);
    }
    add_contacts();
  }

 private:
  void add_angle(int i, int j, int k) {
    if (!is_folded(i) && !is_folded(j) && !is_folded(k)) return;
    const std::string middle(residue(j).name.view());
    if (!angles_.contains(middle)) {
      angles_.emplace(middle, flexible_angles::make_flexible_angle(middle));
    }
    auto term = angles_.at(middle);
    term.i = i;
    term.j = j;
    term.k = k;
    topology_.tabulated_angles.push_back(term);
    if (!are_together({i, j, k})) return;
    topology_.local_wells.push_back({i, k, structure::distance(at(i), at(k)),
                                     well_13_factor * strength(i, k), well_13_width_nm, 0});
  }

  void add_dihedral(int i, int j, int k, int l) {
    if (!is_folded(i) && !is_folded(j) && !is_folded(k) && !is_folded(l)) return;
    const std::pair names(std::string(residue(j).name.view()), std::string(residue(k).name.view()));
    if (!dihedrals_.contains(names)) {
      dihedrals_.emplace(names, make_flexible_dihedral(names.first, names.second));
    }
    auto term = dihedrals_.at(names);
    term.i = i;
    term.j = j;
    term.k = k;
    term.l = l;
    if (are_together({i, j, k, l})) {
      term.phi0_rad = dihedral_at(at(i), at(j), at(k), at(l));
      term.depth_kj_mol = well_14_factor * strength(i, l);
      term.width_rad = well_14_width_rad;
    }
    topology_.flexible_dihedrals.push_back(term);
  }

  void add_contacts() {
    const int count = topology_.residue_count();
    for (int i = 0; i < count; ++i) {
      if (!is_folded(i)) continue;
      for (int j = i + 1; j < count; ++j) {
        if (residue(j).domain != residue(i).domain) continue;
        if (residue(j).chain == residue(i).chain && j - i < least_separation) continue;
        if (structure::distance(at(i), at(j)) > farthest_nm) continue;
        if (!have_aicg_contact(atoms(i), atoms(j))) continue;
        topology_.contacts_12_10.push_back(
            {i, j, structure::distance(at(i), at(j)), contact_factor * strength(i, j)});
        topology_.exclusions.emplace_back(i, j);
      }
    }
  }

  void exclude(int i, int j) {
    if (is_folded(i) || is_folded(j)) topology_.exclusions.emplace_back(std::minmax(i, j));
  }
  [[nodiscard]] double strength(int i, int j) const {
    if (atoms(i).heavy_atoms.size() == 1 && residue(i).name.view() != "GLY") {
      throw structure::StructureError(
          fmt::format("{} has one atom: AICG2+ takes strengths from all heavy atoms; give a "
                      "structure with side "
                      "chains",
                      residue_label(topology_, i)));
    }
    return aicg_strength_kj_mol(atoms(i), atoms(j));
  }
  [[nodiscard]] bool are_together(std::initializer_list<int> all) const {
    const int domain = residue(*all.begin()).domain;
    return domain >= 0 &&
           std::ranges::all_of(all, [&](int i) { return residue(i).domain == domain; });
  }
  [[nodiscard]] int after(int i) const { return i < 0 ? -1 : next_residue(topology_, i); }
  [[nodiscard]] bool is_folded(int i) const { return residue(i).domain >= 0; }
  [[nodiscard]] Residue residue(int i) const {
    return topology_.residues[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const structure::Residue& atoms(int i) const {
    return *atoms_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Point at(int i) const { return topology_.native_nm[static_cast<std::size_t>(i)]; }

  /// Largest distance of C-alpha atoms whose residues may touch: two long side chains and a
  /// contact.
  static constexpr double farthest_nm = 2.5;

  Topology& topology_;
  std::vector<const structure::Residue*> atoms_;  ///< (residues) null outside proteins
  std::map<std::string, TabulatedAngle> angles_;
  std::map<std::pair<std::string, std::string>, FlexibleDihedral> dihedrals_;
};

}  // namespace

FlexibleDihedral make_flexible_dihedral(std::string_view second, std::string_view third) {
  FlexibleDihedral term{0, 1, 2, 3, fourier_row(second, third).kj_mol};
  term.fourier_kj_mol[0] -= lowest_energy(term);
  return term;
}

void add_aicg_domains(Topology& topology, const structure::Structure& structure) {
  AicgBuilder(topology, structure).run();
}

}  // namespace nfold::topology
