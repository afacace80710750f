// Folded domains from the residue ranges of an input.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/folded_domains.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/structure/residue_ranges.hpp"

namespace nfold::topology {
namespace {

using structure::StructureError;

/// Returns the residues of all chains by consecutive index.
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
                                const std::vector<std::string>& domains,
                                const DomainSearch& search) {
  if (domains.size() == 1 && domains.front() == "auto") return find_domains(structure, search);
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
    for (const int index : finder.find_whole(text)) {
      int& mine = domain_of[static_cast<std::size_t>(index)];
      if (mine >= 0) {
        throw StructureError(fmt::format(
            "{} '{}': residue {} {} is in domain {} already; a residue belongs to one domain",
            subject, text, residue_at(index).name, residue_at(index).number, mine + 1));
      }
      mine = static_cast<int>(domain);
    }
  }
  return domain_of;
}

}  // namespace nfold::topology
