// Molecules of a CALVADOS folder: beads, bonds and other terms of each component.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/calvados/folder.hpp"
#include "cli/calvados/pdb.hpp"
#include "cli/calvados/tables.hpp"
#include "model/topology/molecule_file.hpp"

namespace nfold::calvados {

/// A bead of the force field: the numbers of a row, apart for crowders.
struct BeadType {
  std::string name;
  ResidueRow row;
  bool is_crowder = false;
};
/// All bead types of a folder. Components may have tables of their own, so that one letter may
/// stand for several types.
class BeadTypes {
 public:
  /// Returns the name of a type, which is added if it is new.
  const std::string& name_of(const ResidueRow& row, bool is_crowder);
  [[nodiscard]] const std::vector<BeadType>& all() const { return types_; }

 private:
  std::vector<BeadType> types_;
};

/// Name of a bead's residue and atom in top.pdb.
struct BeadLabel {
  std::string residue, atom;
  int number = 0;
};

struct ComponentMolecule {
  topology::Molecule molecule;
  std::string letters;            ///< (beads)
  std::vector<Point> start_nm;    ///< (beads) start about the origin
  std::vector<BeadLabel> labels;  ///< (beads)
};

/// Builds the molecule of a component. Adds a line to `notes` for what the package does otherwise.
/// Throws core::InputError.
[[nodiscard]] ComponentMolecule build_component(const Folder& folder, const Component& component,
                                                BeadTypes& types, std::vector<std::string>& notes);

/// Returns a snake on a cubic lattice of 0.38 nm.
[[nodiscard]] std::vector<Point> compact_shape(std::size_t beads);
/// Returns an Archimedes' spiral of backbones, each with its base above it at this height [nm].
[[nodiscard]] std::vector<Point> spiral_shape(const std::vector<double>& base_heights_nm);

}  // namespace nfold::calvados
