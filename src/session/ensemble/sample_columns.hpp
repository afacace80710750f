// Samples of an ensemble as columns, one for each quantity.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"
#include "io/observables_file.hpp"
#include "io/sample_file.hpp"
#include "session/ensemble/file.hpp"

namespace nfold::ensemble {

struct SampleColumns {
  std::vector<io::ObservedTable> tables;  ///< group `samples` of NAME.ensemble.h5
  [[nodiscard]] const std::vector<double>& values(std::string_view path) const;
  /// Samples of the current ladder after equilibration, without the start.
  thermodynamics::FoldingSamples after_equilibration;
};

/// Reads the samples with all threads that this process may use alone. Throws storage::FileError.
[[nodiscard]] SampleColumns sample_columns(const EnsembleSnapshot& snapshot,
                                           const io::SampleFile& samples);

}  // namespace nfold::ensemble
