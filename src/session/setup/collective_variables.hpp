// Collective variables and biases from the residue names of an input.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/bias/biases.hpp"

namespace nfold::setup {

/// Returns the variable of the residues `names`: "A:17", "A:1-40" or "A", the whole chain; the name
/// of a single chain is optional. Residue numbers are the structure's. key: key of the names, for
/// errors. Throws InputError for residues that the system lacks or that do not fit the variable.
[[nodiscard]] bias::Variable make_variable(bias::VariableKind kind,
                                           const std::vector<std::string>& names,
                                           const topology::Topology& topology,
                                           const std::string& key);

/// Returns the variable of the umbrellas; empty without umbrellas. Throws InputError as
/// make_variable().
[[nodiscard]] bias::Variable umbrella_variable(const input::EnsembleSettings& settings,
                                               const topology::Topology& topology);

/// Adds the biases to the system and returns a line for each. Throws InputError as make_variable().
std::vector<std::string> add_biases(const input::Settings& settings, topology::Topology& topology);

}  // namespace nfold::setup
