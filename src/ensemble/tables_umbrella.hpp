// Free energy of what umbrellas hold, as tables and in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "ensemble/file.hpp"
#include "io/observables_file.hpp"
#include "thermodynamics/folding.hpp"

namespace nfold::ensemble {

/// How datasets name what umbrellas act on: "distance", "radius_of_gyration".
[[nodiscard]] std::string umbrella_dataset(const config::Settings& settings);

/// A line for each piece of the profile, and one that names the gaps. Throws what
/// thermodynamics::umbrella_profile throws.
void add_umbrellas(const EnsembleSoFar& so_far, const thermodynamics::FoldingSamples& samples,
                   std::vector<io::ObservedTable>& tables, std::vector<std::string>& words);

}  // namespace nfold::ensemble
