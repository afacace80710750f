// Group kinetics of NAME.ensemble.h5: when independent replicas first folded or unfolded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "ensemble/file.hpp"
#include "io/observables_file.hpp"

namespace nfold::ensemble {

/// Adds the tables, and a line a state of what they say. Neither without samples or where
/// replicas trade states. step: (samples); native_fraction: (samples, replicas).
void add_kinetics(const EnsembleSoFar& so_far, const std::vector<double>& step,
                  const std::vector<double>& native_fraction,
                  std::vector<io::ObservedTable>& tables, std::vector<std::string>& words);

}  // namespace nfold::ensemble
