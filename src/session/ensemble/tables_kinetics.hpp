// Group kinetics of NAME.ensemble.h5: first-passage times of independent replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "session/ensemble/file.hpp"

namespace nfold::ensemble {

/// Adds the tables, and a line for each state. Adds nothing without samples or if replicas exchange
/// states. step: (samples); native_fraction: (samples, replicas).
void add_kinetics(const EnsembleSnapshot& snapshot, const std::vector<double>& step,
                  const std::vector<double>& native_fraction, EnsembleContents& contents);

}  // namespace nfold::ensemble
