// Ranges of residue numbers, looked up in every molecule with the chain.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/partition_domains.hpp"

#include <fmt/format.h>

#include <map>

#include "core/refusal.hpp"
#include "model/topology/topology_residues.hpp"

namespace nfold::setup {

std::vector<int> given_domains(const topology::Topology& topology,
                               const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  const auto finder = topology::residue_finder("partition.domains", topology);
  std::vector<int> domain_of(topology.residues.size(), -1);
  int domains = 0;
  for (const auto& text : texts) {
    std::map<int, int> domain_of_molecule;
    for (const int id : finder.find_whole(text)) {
      int& mine = domain_of[static_cast<std::size_t>(id)];
      if (mine >= 0) {
        core::refuse(fmt::format("partition.domains, '{}'", text),
                     topology::residue_label(topology, id) + " is in a domain already",
                     "a residue belongs to one domain");
      }
      const auto chain =
          static_cast<std::size_t>(topology.residues[static_cast<std::size_t>(id)].chain);
      mine = domain_of_molecule.try_emplace(topology.chains[chain].molecule, domains).first->second;
      if (mine == domains) ++domains;
    }
  }
  return domain_of;
}

}  // namespace nfold::setup
