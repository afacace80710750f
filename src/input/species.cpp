// Species of a system, from either form of the input.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/settings.hpp"

namespace nfold::input {

std::vector<SpeciesSettings> all_species(const SystemSettings& system) {
  if (!system.species.empty()) {
    auto all = system.species;
    auto& mutations = all.front().mutations;
    mutations.insert(mutations.end(), system.mutations.begin(), system.mutations.end());
    return all;
  }
  SpeciesSettings only;
  only.structure = system.structure;
  only.chains = system.chains;
  only.mutations = system.mutations;
  only.model = system.model;
  only.gaps = system.gaps;
  only.confidence = system.confidence;
  only.cyclic = system.cyclic;
  only.copies = system.copies;
  return {only};
}

}  // namespace nfold::input
