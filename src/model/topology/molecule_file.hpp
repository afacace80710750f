// Molecules and restraints given term by term in a text file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/topology/residue_model.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// A molecule of one chain with all of its terms; beads count from 0. Bonds, springs, contacts and
/// local pairs have no pair potential. The force field gives type, mass and charge of a bead by its
/// name.
struct Molecule {
  struct Bead {
    std::string name;
    double added_mass_amu = 0, added_charge_e = 0;  ///< added by a chain end
    int domain = -1;                                ///< folded domain, from 0; -1: none
    /// Reference position; NaN: none.
    std::array<double, 3> position_nm{std::numeric_limits<double>::quiet_NaN(),
                                      std::numeric_limits<double>::quiet_NaN(),
                                      std::numeric_limits<double>::quiet_NaN()};
  };
  /// Ashbaugh-Hatch potential of two beads, shifted at cutoff_nm but not truncated there, and
  /// charge_factor times the potential of their charges, likewise shifted at charge_cutoff_nm.
  struct Local {
    int i, j;
    double epsilon_kj_mol, sigma_nm, lambda, cutoff_nm;
    double charge_factor, charge_cutoff_nm;
    [[nodiscard]] constexpr auto parts() const {
      const auto& [a, b, epsilon, sigma, stickiness, cutoff, factor, charge_cutoff] = *this;
      return TermParts{std::array{a, b},
                       std::array{epsilon, sigma, stickiness, cutoff, factor, charge_cutoff}};
    }
  };

  std::vector<Bead> beads;
  std::vector<Bond> bonds, springs;
  std::vector<Angle> angles;
  std::vector<Contact1210> contacts;
  std::vector<Local> local_pairs;
  std::vector<std::pair<int, int>> exclusions;  ///< further pairs without pair potential
};

/// Parses a molecule. A section begins with its name in brackets ([beads], [bonds], [springs],
/// [angles], [contacts], [local_pairs], [exclusions]); each other line is a row of it, in the order
/// of the members above; beads count from 1, a domain of 0 is none, # begins a comment. `file`
/// names the text in errors. Any bytes are safe. Throws core::InputError with the first wrong line.
[[nodiscard]] Molecule parse_molecule(std::string_view text, const std::string& file);

/// Writes a molecule; parse_molecule() converts it back bit for bit. `remarks` head the text.
[[nodiscard]] std::string write_molecule(const Molecule& molecule,
                                         const std::vector<std::string>& remarks);

/// Builds one molecule. Throws core::InputError for a bead that the force field does not have.
[[nodiscard]] Topology build_molecule(const Molecule& molecule, const std::string& name,
                                      const std::string& file, const ResidueModel& model);

/// Adds terms between any two beads of the system, which lose their pair potential: sections
/// [springs] and [contacts] whose beads are written CHAIN:NUMBER. A row of the section [fields]
/// adds an external field (bias::ExternalField): species, joined by commas, or all; the axes of its
/// distance, z for a plane, xy for a line, xyz for a point; origin x y z, inner, centre, k, slope;
/// the step from which on it is off, 0 for never. Throws core::InputError and
/// structure::StructureError.
void add_restraints(std::string_view text, const std::string& file, Topology& topology);

}  // namespace nfold::topology
