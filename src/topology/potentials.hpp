// The pair potentials of a condensate model, from its table and options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/residue_model.hpp"

namespace nfold::topology {

/// Types are the residues of the table, in its order.
[[nodiscard]] ShortRange short_range_of(const ResidueModel& model);
/// Throws structure::StructureError where the dielectric constant has no sense at the temperature.
[[nodiscard]] Electrostatics electrostatics_of(const ResidueModel& model);

/// "both ends charged", "first end charged".
[[nodiscard]] std::string_view describe_ends(config::ChargedEnds ends);
/// What was taken, a line each: pairs and their cutoff, dielectric constant and Debye length, what
/// holds the domains.
[[nodiscard]] std::vector<std::string> describe_potentials(const ResidueModel& model);

}  // namespace nfold::topology
