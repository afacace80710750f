// Pair potentials of a condensate model, from its force field and options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/topology/residue_model.hpp"
#include "model/topology/tabulated_terms.hpp"

namespace nfold::topology {

/// Returns the tables of a force field's pair terms; null if kernels of built-in potentials compute
/// them. Throws as tabulate_terms().
[[nodiscard]] std::shared_ptr<const TabulatedTerms> make_tables(const input::ForceField& field);
/// Returns the short-range parameters. Types are the beads of the force field, in its order.
[[nodiscard]] ShortRange make_short_range(const ResidueModel& model);
/// Returns the electrostatics. Throws structure::StructureError if the dielectric constant is
/// invalid at the temperature.
[[nodiscard]] Electrostatics make_electrostatics(const ResidueModel& model);

/// Returns "both ends charged", "first end charged".
[[nodiscard]] std::string_view describe_ends(input::ChargedEnds ends);
/// Describes the choices, a line each: pairs and their cutoff, dielectric constant and Debye
/// length, potentials that hold the domains.
[[nodiscard]] std::vector<std::string> describe_potentials(const ResidueModel& model);

}  // namespace nfold::topology
