// Group scan of NAME.ensemble.h5: means in each state by its own samples alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/ensemble_file.hpp"
#include "ensemble/folding.hpp"
#include "io/observables_file.hpp"

namespace nfold::cli {

/// Adds the tables, and without exchange a line a state. Neither without samples. samples:
/// those after equilibration.
void add_scan(const EnsembleSoFar& so_far, const ensemble::FoldingSamples& samples,
              std::vector<io::ObservedTable>& tables, std::vector<std::string>& words);

}  // namespace nfold::cli
