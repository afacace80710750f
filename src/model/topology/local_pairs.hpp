// Pair terms of a force field between two given beads: stacked bases, rests of weighted contacts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "input/force_field.hpp"
#include "model/topology/confidence_go.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Returns factor [U(r) - U(shift_cutoff_nm)] between two beads, U the pair function with another
/// sigma; shift_cutoff_nm = 0: no shift. Throws std::invalid_argument for a function that is
/// neither Ashbaugh-Hatch nor Lennard-Jones.
[[nodiscard]] LocalPair make_local_pair(int i, int j, const pair_forms::PairFunction& function,
                                        double sigma_nm, double factor, double shift_cutoff_nm);

/// Adds the Debye-Hueckel potential of a product of charges [e^2]; shift_cutoff_nm = 0: no shift.
void add_charges(const Electrostatics& electrostatics, double charge_product,
                 double shift_cutoff_nm, LocalPair& pair);

/// Adds U = epsilon weight [5 (d/r)^12 - 6 (d/r)^10] for each contact, and its residual times the
/// pair's own terms, shifted as those but without cutoff. Excludes the pairs, and mixes the lengths
/// of bonds between consecutive beads with those of the reference coordinates. Exclusions then need
/// sorting. Uses topology.electrostatics. Throws structure::StructureError if a residual is of a
/// form that no local pair has.
void add_weighted_contacts(Topology& topology, const WeightedContacts& weighted,
                           double epsilon_kj_mol, const input::ForceField& field);

}  // namespace nfold::topology
