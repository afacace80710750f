// Group scan of NAME.ensemble.h5: means in each state by its own samples alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analysis/thermodynamics/folding.hpp"
#include "session/ensemble/file.hpp"

namespace nfold::ensemble {

/// Adds the tables, and without exchange a line for each state. Adds nothing without samples.
/// samples: those after equilibration.
void add_scan(const EnsembleSnapshot& snapshot, const thermodynamics::FoldingSamples& samples,
              EnsembleContents& contents);

}  // namespace nfold::ensemble
