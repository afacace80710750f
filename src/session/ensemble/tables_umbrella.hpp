// Free energy along the umbrella variable, as tables and text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analysis/thermodynamics/folding.hpp"
#include "session/ensemble/file.hpp"

namespace nfold::ensemble {

/// Returns the dataset name of the umbrella variable: "distance", "radius_of_gyration".
[[nodiscard]] std::string umbrella_dataset(const input::Settings& settings);

/// Adds the tables, a line for each piece of the profile, and one that names the gaps. Passes on
/// the exceptions of thermodynamics::umbrella_profile.
void add_umbrellas(const EnsembleSnapshot& snapshot, const thermodynamics::FoldingSamples& samples,
                   EnsembleContents& contents);

}  // namespace nfold::ensemble
