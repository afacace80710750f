// Report of `nfold prepare` on the system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"

namespace nfold::prepare {

/// Properties of one molecule of a species, from a topology with one copy of each.
struct MoleculeFacts {
  std::string species;
  int residues = 0, chains = 0, longest_chain = 0;
  std::vector<std::string> domains;  ///< "10-50 (41 residues)"
};

/// Returns the facts of each species (species). The topology has one molecule of each.
[[nodiscard]] std::vector<MoleculeFacts> molecule_facts(const topology::Topology& one_of_each);

/// Returns "ubq: folded 1-72 (72 residues)" for each species with folded domains, and for species
/// with a structure but no domains a line that they are flexible.
[[nodiscard]] std::vector<std::string> domain_lines(const std::vector<MoleculeFacts>& facts,
                                                    const input::SystemSettings& system);

/// Returns a line with residues, chains and mass density of the system.
[[nodiscard]] std::string total_line(const topology::Topology& topology);

/// Returns a line with steps, time and temperature.
[[nodiscard]] std::string dynamics_line(const input::Settings& settings);

/// Returns the lines of the go model: chains, contacts, contact order.
[[nodiscard]] std::vector<std::string> go_lines(const std::string& name,
                                                const topology::Topology& topology);

}  // namespace nfold::prepare
