// From an input's names of residues to collective variables and the biases of a system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bias/biases.hpp"
#include "config/settings.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Of the residues that `names` give: "A:17", "A:1-40" or "A", which is all of the chain; where
/// there is one chain its name may be left out. Numbers are the structure's. `key` names them in
/// errors. InputError for residues that the system has not, or that the variable cannot be of.
[[nodiscard]] bias::Variable variable_of(bias::VariableKind kind,
                                         const std::vector<std::string>& names,
                                         const topology::Topology& topology,
                                         const std::string& key);

/// What umbrellas act on, if there are any. InputError as above.
[[nodiscard]] bias::Variable umbrella_variable(const config::EnsembleSettings& settings,
                                               const topology::Topology& topology);

/// Gives the system its biases. Returns a line for each. InputError as above.
std::vector<std::string> add_biases(const config::Settings& settings, topology::Topology& topology);

}  // namespace nfold::setup
