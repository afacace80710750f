// Group exchange of NAME.ensemble.h5: ladders, acceptance, and flow of replicas along them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "ensemble/file.hpp"
#include "io/observables_file.hpp"

namespace nfold::ensemble {

void add_exchange(const EnsembleSoFar& so_far, std::vector<io::ObservedTable>& tables);

/// Returns a line for the user, or none without exchange.
[[nodiscard]] std::vector<std::string> exchange_in_words(const EnsembleSoFar& so_far);

}  // namespace nfold::ensemble
