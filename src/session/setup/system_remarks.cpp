// Checks of boxes, temperatures, dielectric constants and precision.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/system_remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "model/structure/point.hpp"
#include "system/units.hpp"

namespace nfold::setup {
namespace {

using structure::Point;

// Dielectric constant of water from 373 to 273 K by Akerlof and Oshry, J. Am. Chem. Soc. 72, 2844
// (1950), rounded outwards.
constexpr double lowest_of_water = 55, highest_of_water = 89;
// Folding temperatures kT/epsilon of most proteins with SMOG 2's constants, by its run files.
constexpr double lowest_melting = 0.83, highest_melting = 1.0;
// Distance within which beads repel each other [nm].
constexpr double bead_nm = 0.4;
// Grid of mixed precision, as in Box::to_coarse_counts().
constexpr double coarse_counts = 0x1p12;

Point farthest_from(const Point& from, const std::vector<Point>& points) {
  return *std::ranges::max_element(
      points, {}, [&](const Point& point) { return structure::distance(from, point); });
}

/// Returns the distance of two points that are about as far from each other as any two [nm].
double length_nm(const std::vector<Point>& points) {
  const Point end = farthest_from(points.front(), points);
  return structure::distance(end, farthest_from(end, points));
}

/// Returns the positions of the folded parts of a species' first molecule, by domain; a go model is
/// one part.
std::map<int, std::vector<Point>> folded_parts(const topology::Topology& topology, int species,
                                               bool is_go) {
  std::map<int, std::vector<Point>> parts;
  int molecule = -1;
  for (const auto& chain : topology.chains) {
    if (chain.species != species || (molecule >= 0 && chain.molecule != molecule)) continue;
    molecule = chain.molecule;
    for (int i = chain.first; i < chain.first + chain.count; ++i) {
      const auto place = static_cast<std::size_t>(i);
      const int part = is_go ? 0 : topology::Residue(topology.residues[place]).domain;
      if (part >= 0) parts[part].push_back(topology.native_nm[place]);
    }
  }
  return parts;
}

std::set<double> lowest_and_highest_kelvin(const input::Settings& settings) {
  const auto& ensemble = settings.ensemble;
  if (!ensemble.is_enabled()) return {settings.dynamics.temperature_kelvin};
  return {ensemble.lowest_kelvin, ensemble.highest_kelvin};
}

/// Returns a line for each species with a folded part that is longer than an edge of the box.
std::vector<std::string> warn_of_small_box(const topology::Topology& topology,
                                           input::ForceFieldModel model) {
  std::vector<std::string> lines;
  const bool is_go = model == input::ForceFieldModel::go;
  for (std::size_t s = 0; s < topology.species.size(); ++s) {
    double longest_nm = 0;
    for (const auto& [part, points] : folded_parts(topology, static_cast<int>(s), is_go)) {
      longest_nm = std::max(longest_nm, length_nm(points) + bead_nm);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double edge_nm = topology.box.length_nm[axis];
      if (!topology.box.is_periodic(axis) || longest_nm < edge_nm) continue;
      lines.push_back(fmt::format(
          "warning: {} is folded and {:.3g} nm long, the box {:.4g} nm along {}: it overlaps with "
          "its own image; give system.box_nm longer edges, or a lower concentration",
          topology.species[s].name, longest_nm, edge_nm, "xyz"[axis]));
      break;
    }
  }
  return lines;
}

/// Returns a line for each temperature at which the dielectric constant, given or by the formula
/// for water, is outside the range of water. Skips the constant of the model's own table.
std::vector<std::string> warn_of_dielectric_constant(const input::Settings& settings,
                                                     const topology::ResidueModel& model) {
  std::vector<std::string> lines;
  const double given = model.options.dielectric_constant;
  if (!model.force_field.charges.acts) return lines;
  auto alone = model;
  alone.options = {};
  alone.evaluate_numbers();
  if (given > 0 && given == alone.options.dielectric_constant) return lines;
  for (const double kelvin : lowest_and_highest_kelvin(settings)) {
    auto at = model;
    at.temperature_kelvin = kelvin;
    at.evaluate_numbers();
    const double dielectric = at.force_field.charges.dielectric_constant;
    if (dielectric == 0) continue;  // it depends on the distance
    if (dielectric >= lowest_of_water && dielectric <= highest_of_water) continue;
    const std::string origin =
        given > 0
            ? std::string("force_field.dielectric_constant")
            : fmt::format("the dielectric constant of water at {:g} K by its formula", kelvin);
    lines.push_back(
        fmt::format("warning: {} = {:.4g}; water has {:g} (373 K) to {:g} (273 K): charges are "
                    "not those of a protein in water",
                    origin, dielectric, lowest_of_water, highest_of_water));
    if (given > 0) break;
  }
  return lines;
}

/// Returns the error of the forces along open axes; empty if there is none.
std::string describe_mixed_precision(const input::Settings& settings,
                                     const topology::Topology& topology) {
  const double kt = system::k_boltzmann * *lowest_and_highest_kelvin(settings).begin();
  double k = 0;
  for (const auto& bond : topology.bonds) k = std::max(k, bond.k_kj_mol_nm2);
  double grid_nm = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!topology.box.is_periodic(axis)) grid_nm = coarse_counts * topology.box.nm_per_count(axis);
  }
  const bool is_mixed = settings.dynamics.precision == system::Precision::mixed;
  if (!is_mixed || !(k * kt * grid_nm > 0)) return "";
  // Rounding moves each end of a bond by grid/sqrt(12) along it; the force of the bond is sqrt(k
  // kT).
  const double relative = grid_nm / std::sqrt(6) * std::sqrt(k / kt);
  return fmt::format(
      "mixed precision without a box: forces are those of positions rounded to {:.1e} nm, off by "
      "about {:.0e} of their size (root mean square); dynamics.precision = double has none of it",
      grid_nm, relative);
}

std::string range_text(double lowest, double highest) {
  return lowest < highest ? fmt::format("{:.3g} to {:.3g}", lowest, highest)
                          : fmt::format("{:.3g}", highest);
}

/// Returns the temperatures of the go model in its own units.
std::string describe_go_temperature(const input::Settings& settings) {
  const double kelvin = settings.force_field.epsilon_kj_mol / system::k_boltzmann;  // kT = epsilon
  const auto temperatures = lowest_and_highest_kelvin(settings);
  const double lowest = *temperatures.begin(), highest = *temperatures.rbegin();
  std::string line = fmt::format(
      "go model: {} K is kT = {} epsilon, no temperature of the real protein. Most proteins of "
      "this "
      "model melt at kT = {} epsilon, here {} K",
      range_text(lowest, highest), range_text(lowest / kelvin, highest / kelvin),
      range_text(lowest_melting, highest_melting),
      range_text(lowest_melting * kelvin, highest_melting * kelvin));
  if (highest < lowest_melting * kelvin) {
    line +=
        ": it is below that and stays folded, which says nothing of the real protein's stability";
  }
  return line;
}

}  // namespace

std::vector<std::string> remarks_on_system(const input::Settings& settings,
                                           const topology::Topology& topology,
                                           const topology::ResidueModel* model) {
  auto lines = warn_of_small_box(topology, settings.force_field.model);
  if (model != nullptr) {
    for (auto& line : warn_of_dielectric_constant(settings, *model)) {
      lines.push_back(std::move(line));
    }
  } else {
    lines.push_back(describe_go_temperature(settings));
  }
  auto precision = describe_mixed_precision(settings, topology);
  if (!precision.empty()) lines.push_back(std::move(precision));
  return lines;
}

}  // namespace nfold::setup
