// All samples of an ensemble, each number of them in a column.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ensemble/file.hpp"
#include "io/sample_file.hpp"
#include "thermodynamics/folding.hpp"

namespace nfold::ensemble {

struct SampleColumns {
  /// (samples), then (samples, replicas), the last one (samples, replicas, nodes)
  std::vector<double> step, energy, contacts, variable, q, state, screened;
  std::vector<std::vector<double>> radius;  ///< (species), (samples, replicas) each
  /// Of the current ladder, without the start.
  thermodynamics::FoldingSamples after_equilibration;
};

/// By all threads that this process may take alone. storage::FileError.
[[nodiscard]] SampleColumns sample_columns(const EnsembleSoFar& so_far,
                                           const io::SampleFile& samples);

}  // namespace nfold::ensemble
