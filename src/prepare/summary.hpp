// What `nfold prepare` says about the system it made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "config/settings.hpp"
#include "topology/topology.hpp"

namespace nfold::prepare {

/// One molecule of a species, measured on a topology that has one copy of each.
struct MoleculeFacts {
  std::string species;
  int residues = 0, chains = 0, longest_chain = 0;
  std::vector<std::string> domains;  ///< "10-50 (41 residues)"
};

/// (species) of a topology with one molecule of each.
[[nodiscard]] std::vector<MoleculeFacts> molecule_facts(const topology::Topology& one_of_each);

/// "ubq: folded 1-72 (72 residues)" for each species that has folded domains, and for those from a
/// structure that have none, that they are flexible.
[[nodiscard]] std::vector<std::string> domain_lines(const std::vector<MoleculeFacts>& facts,
                                                    const config::SystemSettings& system);

/// Residues, chains and mass density of everything.
[[nodiscard]] std::string total_line(const topology::Topology& topology);

/// Steps, time, temperature.
[[nodiscard]] std::string dynamics_line(const config::Settings& settings);

/// The lines of the go model: chains, contacts, contact order.
[[nodiscard]] std::vector<std::string> go_lines(const std::string& name,
                                                const topology::Topology& topology);

}  // namespace nfold::prepare
