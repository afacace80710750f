// Initial states of many chains: random, lattice, slab, droplet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "model/start/id_range.hpp"
#include "model/topology/geometry.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::start {

enum class PlacementKind { random, lattice, slab, droplet };
enum class Conformation {
  unfolded,  ///< a self-avoiding coil, except for folded domains and known residues between them
  native     ///< structure where it is known, the rest is grown
};

/// Start region of a species along the axes; axes of length 0 are unrestricted.
struct StartBlock {
  std::array<double, 3> from_nm{}, to_nm{};
  [[nodiscard]] bool is_bound(std::size_t axis) const { return to_nm[axis] > from_nm[axis]; }
  [[nodiscard]] bool is_anywhere() const { return !is_bound(0) && !is_bound(1) && !is_bound(2); }
};

struct PlacementSettings {
  PlacementKind kind = PlacementKind::random;
  Conformation conformation = Conformation::unfolded;
  int slab_axis = 2;             ///< slab: 0, 1 or 2; the other two axes must be periodic
  double slab_thickness_nm = 0;  ///< slab: 0 gives 2 residues/nm^3, or 1.5 for folded ones
  double droplet_radius_nm = 0;  ///< droplet: 0 gives the densities of a slab
  std::vector<StartBlock> block_of_species{};  ///< random: by Chain::species; empty: anywhere
  std::uint64_t seed = 1;
};

/// Error if the chains do not fit, or the settings are invalid for this box.
class PlacementError : public core::Failure {
 public:
  PlacementError(const std::string& problem, const std::string& remedy)
      : core::Failure(problem + "; " + remedy), problem_(problem), remedy_(remedy) {}
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  std::string problem_, remedy_;
};

/// Memory per residue of the whole system on every rank during placement: approximate position,
/// cells and growth rules [bytes].
inline constexpr std::int64_t placement_bytes = 24;
/// Memory per residue kept by this rank, during placement and construction of the state [bytes].
inline constexpr std::int64_t placed_bytes = 52;

/// Part of a rank in the placement of all chains by all ranks.
struct PlacementShare {
  IdRange rows;  ///< rows of this rank's state; each residue belongs to one rank
  /// Collective: returns a residue's position from the rank that keeps it; `here` is the position
  /// on that rank and null on others. All ranks request the same residues in the same order. Empty
  /// if one rank keeps all.
  std::function<topology::Point(const topology::Point* here)> fetch_position;
};

struct PlacedStart {
  system::State state;  ///< at rest, on the grid shared by both precisions; chains are whole
  /// Smallest fraction of HardCore's distances used for any chain. Below 1 the first forces are
  /// larger: minimise.
  double hard_core_fraction = 1;
  std::vector<std::string> notes;  ///< log lines: densities and relaxed constraints
};

/// Places all molecules in topology.box according to settings.kind: at random, or in the block of
/// the species; one per cell of a regular lattice, centred in it if the cells are larger than the
/// coils; in a slab centred in the box; in a sphere centred in the box. Slab and droplet hold every
/// residue. Along open axes `random` and `lattice` fill a length for 0.05 residues/nm^3.
///
/// Residues that are not neighbours along a chain keep HardCore's distance, including periodic
/// images; growth follows chain_growth.hpp. Known residues of a chain keep their relative
/// positions, so all its domains do, and are rotated at random as a whole; the same holds for
/// chains joined by bonds, restraints or (in the native conformation) native contacts. A pure
/// function of topology and settings: the same on every rank and machine. The cost is linear in the
/// residues. Throws PlacementError, and std::invalid_argument as GrowthRules does.
[[nodiscard]] PlacedStart placed_start(const topology::Topology& topology,
                                       const PlacementSettings& settings);
/// Collective: returns this rank's rows of the state.
[[nodiscard]] PlacedStart placed_start(const topology::Topology& topology,
                                       const PlacementSettings& settings,
                                       const PlacementShare& share);

}  // namespace nfold::start
