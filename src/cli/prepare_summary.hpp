// What `nfold prepare` says about the system it made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "config/settings.hpp"
#include "topology/topology.hpp"

namespace nfold::cli {

/// One molecule of a species, measured on a topology that has one copy of each.
struct MoleculeFacts {
  std::string species;
  int residues = 0, chains = 0, longest_chain = 0;
  double mass_amu = 0, charge_e = 0;
  std::vector<std::string> domains;  ///< "10-50 (41 residues)"
};

/// (species) of a topology with one molecule of each.
[[nodiscard]] std::vector<MoleculeFacts> molecule_facts(const topology::Topology& one_of_each);

/// "A1: 137 residues, 12.9 kDa, charge +8.00 e; 50 copies", and its domains.
[[nodiscard]] std::string species_line(const MoleculeFacts& facts, long copies);

/// Box, density and charge of everything.
[[nodiscard]] std::vector<std::string> system_lines(const topology::Topology& topology);

/// Steps, time, temperature.
[[nodiscard]] std::string dynamics_line(const config::Settings& settings);

/// The lines of the go model: chains, contacts, contact order.
[[nodiscard]] std::vector<std::string> go_lines(const std::string& name,
                                                const topology::Topology& topology);

}  // namespace nfold::cli
