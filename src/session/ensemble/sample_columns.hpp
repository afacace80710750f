// Samples of an ensemble as columns, one for each quantity.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analysis/thermodynamics/folding.hpp"
#include "io/sample_file.hpp"
#include "session/ensemble/file.hpp"

namespace nfold::ensemble {

struct SampleColumns {
  /// (samples) step; (samples, replicas) the others; (samples, replicas, nodes) screened
  std::vector<double> step, energy, contacts, variable, q, state, screened;
  std::vector<std::vector<double>> radius;  ///< (species), (samples, replicas) each
  /// Samples of the current ladder after equilibration, without the start.
  thermodynamics::FoldingSamples after_equilibration;
};

/// Reads the samples with all threads that this process may use alone. Throws storage::FileError.
[[nodiscard]] SampleColumns sample_columns(const EnsembleSnapshot& snapshot,
                                           const io::SampleFile& samples);

}  // namespace nfold::ensemble
