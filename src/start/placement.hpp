// First states of many chains in a box: at random, on a lattice, in a slab, in a droplet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "start/id_range.hpp"
#include "system/state.hpp"
#include "topology/geometry.hpp"
#include "topology/topology.hpp"

namespace nfold::start {

enum class PlacementKind { random, lattice, slab, droplet };
enum class Conformation {
  unfolded,  ///< a self-avoiding coil, but for folded domains and what stands between them
  native     ///< as in the structure where that is known, the rest is grown
};

/// Where a species begins along the axes; lengths of 0: anywhere.
struct StartBlock {
  std::array<double, 3> from_nm{}, to_nm{};
  [[nodiscard]] bool is_bound(std::size_t axis) const { return to_nm[axis] > from_nm[axis]; }
  [[nodiscard]] bool is_anywhere() const { return !is_bound(0) && !is_bound(1) && !is_bound(2); }
};

struct PlacementSettings {
  PlacementKind kind = PlacementKind::random;
  Conformation conformation = Conformation::unfolded;
  int slab_axis = 2;             ///< of slab: 0, 1 or 2; the other two must be periodic
  double slab_thickness_nm = 0;  ///< of slab; 0: for 2 residues/nm^3, 1.5 of folded ones
  double droplet_radius_nm = 0;  ///< of droplet; 0: as for a slab
  std::vector<StartBlock> block_of_species{};  ///< of random, by Chain::species; or empty: anywhere
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

/// On every rank while chains are placed, for each residue of the whole: about where it is, cells
/// around it and rules of growth [bytes].
inline constexpr std::int64_t placement_bytes = 24;
/// The same for each residue whose place this rank keeps: then and while states are made.
inline constexpr std::int64_t placed_bytes = 52;

/// What one of several ranks keeps, all of which place all chains together.
struct PlacementShare {
  IdRange rows;  ///< of which the state is made; another rank each residue
  /// Collective: the place of a residue from the rank that keeps it, `here` being its place on that
  /// rank and null on others. All ranks ask for the same residues in the same order. Empty where
  /// one rank keeps all.
  std::function<topology::Point(const topology::Point* here)> place_of;
};

struct PlacedStart {
  system::State state;  ///< at rest, on the grid that both precisions share; every chain is whole
  /// Of HardCore's distances, the least that any chain was placed with. Below 1 the first forces
  /// are larger: minimise.
  double hard_core_fraction = 1;
  std::vector<std::string> notes;  ///< for the log: densities, what was relaxed
};

/// All molecules in topology.box, as settings.kind has it: anywhere, or where a species has its
/// block; one to each cell of a regular
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
/// Collective: the same, of which this rank gets its share of rows.
[[nodiscard]] PlacedStart placed_start(const topology::Topology& topology,
                                       const PlacementSettings& settings,
                                       const PlacementShare& share);

}  // namespace nfold::start
