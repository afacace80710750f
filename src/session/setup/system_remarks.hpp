// Remarks on systems that run but may not be what a person expects.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/residue_model.hpp"
#include "model/topology/topology.hpp"

namespace nfold::setup {

/// Returns a line for each species with a folded part longer than an edge of the box, for a
/// dielectric constant outside the range of water, for the temperatures of a go model and for the
/// error of mixed precision without a box. model: null for the go model.
[[nodiscard]] std::vector<std::string> remarks_on_system(const input::Settings& settings,
                                                         const topology::Topology& topology,
                                                         const topology::ResidueModel* model);

}  // namespace nfold::setup
