// Saving and restoring an accumulator; who belongs to which species.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/frame.hpp"

#include <algorithm>

namespace nfold::analysis {

std::vector<std::int64_t> Accumulator::saved() const {
  WordWriter parameters, all;
  save_parameters(parameters);
  all.put_all(parameters.words());
  save_sums(all);
  return all.words();
}

bool Accumulator::restore(std::span<const std::int64_t> words) {
  WordWriter wanted;
  save_parameters(wanted);
  WordReader from(words);
  const auto count = wanted.words().size();
  if (words.size() < count + 1 || words[0] != static_cast<std::int64_t>(count) ||
      !std::ranges::equal(words.subspan(1, count), wanted.words())) {
    return false;
  }
  (void)from.get_all();
  restore_sums(from);
  return true;
}

std::vector<std::vector<int>> chains_by_species(const topology::Topology& topology) {
  std::vector<std::vector<int>> chains(topology.species.size());
  for (std::size_t c = 0; c < topology.chains.size(); ++c) {
    chains[static_cast<std::size_t>(topology.chains[c].species)].push_back(static_cast<int>(c));
  }
  return chains;
}

std::vector<int> residues_by_species(const topology::Topology& topology) {
  std::vector<int> residues(topology.species.size(), 0);
  for (const auto& chain : topology.chains) {
    residues[static_cast<std::size_t>(chain.species)] = chain.count;
  }
  return residues;
}

}  // namespace nfold::analysis
