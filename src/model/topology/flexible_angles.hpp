// Angle potential of AICG2+ for flexible chains, by the middle residue.
// SPDX-License-Identifier: BSD-3-Clause
//
// Terakawa and Takada, Biophys. J. 101, 1450 (2011): statistics of loops; Li, Wang and Takada, PNAS
// 111, 10550 (2014). The table is that of GENESIS' tool (flexible_local_angle.itp), in kJ/mol.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "model/structure/structure.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

namespace flexible_angles {

inline constexpr double first_rad = 1.309, last_rad = 2.8798;
inline constexpr double step_rad = (last_rad - first_rad) / (TabulatedAngle::nodes - 1);
/// Slope of the lines outside the spline, 30 kcal/mol/rad [kJ/mol/rad].
inline constexpr double outer_slope = 125.52;
/// Range of the spline [rad], as GENESIS scans it: the lowest energy within becomes 0, and the
/// upper line begins at the first angle where the spline is steeper than the line. The lower line
/// begins at the end of the range, where no residue's spline is that steep.
inline constexpr double scan_from_rad = 1.31, scan_to_rad = 2.87, scan_step_rad = 1e-4;

struct Row {
  std::string_view residue;
  std::array<double, TabulatedAngle::nodes> energy_kj_mol;
};
inline constexpr std::array<Row, 20> table{{
    {"ALA", {20.92, 5.6066, 3.5146, 4.8953, 3.4309, 4.184, 5.3137, 6.3597, 13.389, 41.84}},
    {"ARG", {20.92, 5.9831, 3.5146, 4.5606, 3.6819, 4.2258, 4.6442, 6.6944, 13.64, 41.84}},
    {"ASN", {20.92, 5.7739, 2.6778, 3.8493, 4.435, 5.3137, 5.8158, 7.1546, 13.305, 41.84}},
    {"ASP", {20.92, 5.5229, 2.6778, 3.933, 4.184, 5.1882, 6.7362, 7.573, 15.146, 41.84}},
    {"CYS", {20.92, 6.6526, 4.0166, 4.184, 3.4727, 4.0585, 4.6442, 6.025, 13.975, 41.84}},
    {"GLN", {20.92, 5.8994, 3.3054, 4.3932, 4.0166, 4.2258, 4.7279, 6.9454, 13.431, 41.84}},
    {"GLU", {20.92, 5.4392, 3.2217, 4.5606, 3.8074, 4.3932, 5.2718, 7.3638, 14.184, 41.84}},
    {"GLY", {20.92, 6.6944, 2.343, 5.0626, 5.7739, 4.6861, 4.5187, 5.1463, 10.544, 41.84}},
    {"HIS", {20.92, 6.276, 3.4727, 4.1422, 4.1003, 4.3932, 4.4769, 5.9831, 12.259, 41.84}},
    {"ILE", {20.92, 7.4894, 4.8953, 3.8493, 2.7196, 3.7238, 4.9371, 8.619, 14.979, 41.84}},
    {"LEU", {20.92, 6.4434, 3.6401, 4.4769, 3.389, 3.6819, 5.1463, 8.8282, 15.272, 41.84}},
    {"LYS", {20.92, 5.6902, 3.3472, 4.3514, 3.8911, 4.2677, 4.9371, 7.1965, 14.477, 41.84}},
    {"MET", {20.92, 6.6107, 3.6401, 4.435, 3.7238, 3.8074, 4.5606, 6.6944, 17.238, 41.84}},
    {"PHE", {20.92, 6.9454, 3.8493, 4.1422, 3.8074, 4.0585, 4.2258, 5.8158, 13.514, 41.84}},
    {"PRO", {20.92, 5.1882, 3.4309, 5.4392, 2.6778, 3.7238, 9.3303, 14.351, 20.041, 41.84}},
    {"SER", {20.92, 5.8158, 3.5146, 5.0626, 3.9748, 4.1422, 4.3932, 5.3974, 12.092, 41.84}},
    {"THR", {20.92, 6.6526, 3.5146, 4.2258, 4.1422, 4.3514, 4.0166, 6.025, 13.765, 41.84}},
    {"TRP", {20.92, 6.1086, 3.5146, 4.3514, 3.6819, 4.3095, 4.7698, 6.7362, 13.598, 41.84}},
    {"TYR", {20.92, 7.1546, 3.8074, 4.2677, 3.7656, 4.1003, 4.1003, 5.9831, 13.64, 41.84}},
    {"VAL", {20.92, 7.322, 4.979, 3.9748, 3.0125, 3.6401, 4.2258, 7.9914, 15.021, 41.84}},
}};

/// Returns the second derivatives at the nodes of the natural cubic spline [kJ/mol/rad^2].
[[nodiscard]] inline std::array<double, TabulatedAngle::nodes> natural_spline(
    const std::array<double, TabulatedAngle::nodes>& energy) {
  // m[k-1] + 4 m[k] + m[k+1] = 6 (y[k+1] - 2 y[k] + y[k-1]) / h^2, and 0 at both ends.
  constexpr int last = TabulatedAngle::nodes - 1;
  std::array<double, TabulatedAngle::nodes> curvature{}, above{};
  for (int k = 1; k < last; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double right =
        6 * (energy[at + 1] - 2 * energy[at] + energy[at - 1]) / (step_rad * step_rad);
    const double pivot = 4 - above[at - 1];
    above[at] = 1 / pivot;
    curvature[at] = (right - curvature[at - 1]) / pivot;
  }
  for (std::size_t k = last - 1; k > 0; --k) curvature[k] -= above[k] * curvature[k + 1];
  return curvature;
}

/// Returns the potential of residues 0, 1 and 2. `middle` is the three-letter name of residue 1.
/// Throws structure::StructureError for a name that is not in the table.
[[nodiscard]] inline TabulatedAngle make_flexible_angle(const std::string& middle) {
  TabulatedAngle t{0, 1, 2, first_rad, step_rad, scan_from_rad, scan_from_rad, outer_slope, {}, {}};
  const auto* const row =
      std::find_if(table.begin(), table.end(), [&](const Row& r) { return r.residue == middle; });
  if (row == table.end()) {
    throw structure::StructureError(
        "force_field.flexible_angles: there is no angle potential for " + middle +
        "; the twenty standard residues have one");
  }
  t.energy_kj_mol = row->energy_kj_mol;
  t.curvature_kj_mol_rad2 = natural_spline(t.energy_kj_mol);
  double lowest = row->energy_kj_mol.front();
  for (double theta = scan_from_rad; theta < scan_to_rad; theta += scan_step_rad) {
    lowest = std::min(lowest, t.spline_at(theta).energy);
  }
  for (double& energy : t.energy_kj_mol) energy -= lowest;
  while (t.high_rad < scan_to_rad && t.spline_at(t.high_rad).slope <= outer_slope) {
    t.high_rad += scan_step_rad;
  }
  return t;
}

}  // namespace flexible_angles

/// Adds a term for each three consecutive residues of a segment that are in no folded domain.
/// is_flexible: (chains) true for those that get terms; empty: all.
inline void add_flexible_angles(Topology& topology, const std::vector<bool>& is_flexible = {}) {
  std::map<std::string, TabulatedAngle> known;  // key: the middle residue
  const auto& residues = topology.residues.items();
  const auto at = [&](int id) -> const Residue& { return residues[static_cast<std::size_t>(id)]; };
  for (int i = 0; i < topology.residue_count(); ++i) {
    if (!is_flexible.empty() && !is_flexible.at(static_cast<std::size_t>(at(i).chain))) continue;
    const int j = next_residue(topology, i), k = j < 0 ? -1 : next_residue(topology, j);
    if (k < 0 || at(i).domain >= 0 || at(j).domain >= 0 || at(k).domain >= 0) continue;
    const std::string middle(at(j).name.view());
    if (!known.contains(middle))
      known.emplace(middle, flexible_angles::make_flexible_angle(middle));
    auto term = known.at(middle);
    term.i = i;
    term.j = j;
    term.k = k;
    topology.tabulated_angles.push_back(term);
  }
}

}  // namespace nfold::topology
