// Free energy of the distance that umbrellas hold, as tables and in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/ensemble_file.hpp"
#include "ensemble/folding.hpp"
#include "io/observables_file.hpp"

namespace nfold::cli {

/// Throws what ensemble::umbrella_profile throws.
void add_umbrellas(const EnsembleSoFar& so_far, const ensemble::FoldingSamples& samples,
                   std::vector<io::ObservedTable>& tables, std::vector<std::string>& words);

}  // namespace nfold::cli
