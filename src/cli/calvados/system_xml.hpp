// Terms of the OpenMM System that the CALVADOS package writes as SYSNAME.xml.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::calvados {

/// Compares a topology with the System in a file: masses, charges, sizes, every bonded term and the
/// excluded pairs. Returns a line for each kind of term with its number and the largest relative
/// difference of a number. `file` names the text in errors. Any bytes are safe. Throws
/// core::InputError if the text is no System.
[[nodiscard]] std::vector<std::string> compare_with_system(const topology::Topology& topology,
                                                           std::string_view text,
                                                           const std::string& file);

}  // namespace nfold::calvados
