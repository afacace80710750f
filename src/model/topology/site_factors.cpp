// Site factors of one molecule, residue by residue.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/site_factors.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "model/structure/all_atom.hpp"
#include "model/structure/surface_areas.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

/// Throws if a residue has fewer atoms than a glycine.
void require_atoms(const Topology& topology, const structure::Structure& structure,
                   const structure::Residue& residue, int id) {
  constexpr std::size_t fewest_atoms = 4;
  if (residue.heavy_atoms.size() >= fewest_atoms) return;
  throw StructureError(fmt::format(
      "{}: {} is in a folded domain, whose pairs the force field scales by their open surface, but "
      "has {} of its atoms in the structure; give a structure with all heavy atoms, or areas by "
      "system.species[].areas",
      structure.name, residue_label(topology, id), residue.heavy_atoms.size()));
}

/// Sets the factor of a bead and returns it.
double set_factor(Topology& topology, const structure::Structure& structure,
                  const input::ForceField& field, int id, double area_nm2) {
  Residue& bead = topology.residues.items()[static_cast<std::size_t>(id)];
  const double factor = field.site_factor(bead.type, area_nm2);
  if (!std::isfinite(factor)) {
    throw StructureError(
        fmt::format("{}: site_factor of {} is {} at an area of {:g} nm^2; change it in the force "
                    "field",
                    structure.name, residue_label(topology, id), factor, area_nm2));
  }
  if (factor == 1) return factor;
  auto& factors = topology.short_range.site_factors;
  bead.site = static_cast<int>(factors.size());
  factors.push_back(factor);
  return factor;
}

}  // namespace

void add_site_factors(Topology& topology, const structure::Structure& structure,
                      const input::ForceField& field) {
  const bool is_given = !structure.areas_nm2.empty();
  const auto areas_nm2 = is_given ? structure.areas_nm2 : structure::surface_areas(structure);
  int id = 0, folded = 0, below_one = 0, cut = 0;
  auto area_nm2 = areas_nm2.begin();
  for (std::size_t c = 0; c < structure.chains.size(); ++c) {
    const auto& residues = structure.chains[c].residues;
    const int beads = topology.chains[c].count / static_cast<int>(residues.size());
    for (const structure::Residue& residue : residues) {
      for (const int next = id + beads; id < next; ++id) {
        const Residue bead = topology.residues[static_cast<std::size_t>(id)];
        if (bead.domain < 0 || field.site_factor(bead.type, 0) == 1) continue;
        if (!is_given) require_atoms(topology, structure, residue, id);
        ++folded;
        below_one += set_factor(topology, structure, field, id, *area_nm2) < 1 ? 1 : 0;
        cut += is_given || structure::has_all_atoms(residue) ? 0 : 1;
      }
      ++area_nm2;
    }
  }
  if (folded == 0) return;
  topology.notes.push_back(
      fmt::format("{}: {} of {} folded residues have a factor below 1 by their open surface{}",
                  structure.name, below_one, folded,
                  cut == 0 ? "" : fmt::format("; {} lack atoms, whose surface is missing", cut)));
}

}  // namespace nfold::topology
