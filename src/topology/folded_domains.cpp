// Domains from the texts of an input.
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/folded_domains.hpp"

#include <fmt/format.h>

#include <utility>

#include "structure/residue_ranges.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

/// Residue of this consecutive index over all chains.
std::vector<const structure::Residue*> residues_of(const structure::Structure& structure) {
  std::vector<const structure::Residue*> all;
  for (const structure::Chain& chain : structure.chains) {
    for (const structure::Residue& residue : chain.residues) all.push_back(&residue);
  }
  return all;
}

std::vector<structure::LabelledChain> labelled_chains(const structure::Structure& structure) {
  std::vector<structure::LabelledChain> chains;
  int first = 0;
  for (const structure::Chain& chain : structure.chains) {
    const int count = static_cast<int>(chain.residues.size());
    chains.push_back({chain.name, {}, first, count});
    first += count;
  }
  return chains;
}

}  // namespace

std::vector<int> folded_domains(const structure::Structure& structure,
                                const std::vector<std::string>& domains) {
  if (domains.size() == 1 && domains.front() == "auto") return find_domains(structure);
  const auto residues = residues_of(structure);
  const auto residue_at = [&](int index) -> const structure::Residue& {
    return *residues[static_cast<std::size_t>(index)];
  };
  const std::string subject = structure.name + ": domain";
  const structure::ResidueFinder finder(subject, labelled_chains(structure), [&](int index) {
    return structure::ResidueLabel{residue_at(index).number, residue_at(index).insertion_code};
  });
  std::vector<int> domain_of(residues.size(), -1);
  for (std::size_t domain = 0; domain < domains.size(); ++domain) {
    const std::string& text = domains[domain];
    const auto refuse = [&](const std::string& what, const char* remedy) {
      throw StructureError(fmt::format("{} '{}': {}; {}", subject, text, what, remedy));
    };
    const structure::SelectedResidues selected = finder.find(text);
    for (const std::string& missing : selected.missing) {
      refuse("the structure lacks residues of " + missing, "name residues that it has");
    }
    for (const int index : selected.indices) {
      int& mine = domain_of[static_cast<std::size_t>(index)];
      if (mine >= 0) {
        refuse(fmt::format("residue {} {} is in domain {} already", residue_at(index).name,
                           residue_at(index).number, mine + 1),
               "a residue belongs to one domain");
      }
      mine = static_cast<int>(domain);
    }
  }
  return domain_of;
}

}  // namespace nfold::topology
