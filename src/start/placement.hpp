// First states of many chains in a box: at random, on a lattice, in a slab, in a droplet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::start {

enum class PlacementKind { random, lattice, slab, droplet };
enum class Conformation {
  unfolded,  ///< a self-avoiding coil, but for folded domains and what stands between them
  native     ///< as in the structure where that is known, the rest is grown
};

struct PlacementSettings {
  PlacementKind kind = PlacementKind::random;
  Conformation conformation = Conformation::unfolded;
  int slab_axis = 2;             ///< of slab: 0, 1 or 2; the other two must be periodic
  double slab_thickness_nm = 0;  ///< of slab; 0: for 2 residues/nm^3, 1.5 of folded ones
  double droplet_radius_nm = 0;  ///< of droplet; 0: as for a slab
  std::uint64_t seed = 1;
};

/// What was asked for has no room, or makes no sense in this box.
class PlacementError : public std::runtime_error {
 public:
  PlacementError(const std::string& problem, const std::string& remedy)
      : std::runtime_error(problem + "; " + remedy), problem_(problem), remedy_(remedy) {}
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  std::string problem_, remedy_;
};

/// Of a residue while chains are placed: its place, cells around it and rules of growth [bytes].
inline constexpr std::int64_t placement_bytes = 96;

struct PlacedStart {
  system::State state;  ///< at rest, on the grid that both precisions share; every chain is whole
  /// Of HardCore's distances, the least that any chain was placed with. Below 1 the first forces
  /// are larger: minimise.
  double hard_core_fraction = 1;
  std::vector<std::string> notes;  ///< for the log: densities, what was relaxed
};

/// All molecules in topology.box, as settings.kind has it: anywhere; one to each cell of a regular
/// lattice, with its centre in the middle of it where the cells are larger than the coils; in a
/// slab centred in the box; in a sphere centred in it. Slab and droplet hold every residue. Where
/// an axis is open, `random` and `lattice` fill a length of it that makes 0.05 residues/nm^3.
///
/// Residues that are no neighbours along a chain keep HardCore's distance, periodic images
/// included; growth obeys what chain_growth.hpp says. The known residues of a chain keep their
/// places relative to each other, so all its domains do, and turn at random as a whole; so do those
/// of chains that bonds, restraints or (in the native conformation) native contacts tie. A pure
/// function of topology and settings: the same on every rank and machine. Linear in the residues.
/// Throws PlacementError; std::invalid_argument as GrowthRules does.
[[nodiscard]] PlacedStart placed_start(const topology::Topology& topology,
                                       const PlacementSettings& settings);

}  // namespace nfold::start
