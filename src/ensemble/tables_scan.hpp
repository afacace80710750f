// Group scan of NAME.ensemble.h5: means in each state by its own samples alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "ensemble/file.hpp"
#include "io/observables_file.hpp"
#include "thermodynamics/folding.hpp"

namespace nfold::ensemble {

/// Adds the tables, and without exchange a line for each state. Adds nothing without samples.
/// samples: those after equilibration.
void add_scan(const EnsembleSoFar& so_far, const thermodynamics::FoldingSamples& samples,
              std::vector<io::ObservedTable>& tables, std::vector<std::string>& words);

}  // namespace nfold::ensemble
