// Supported features of resident replicas, by name; all others are refused.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/arithmetic/fixed_point.hpp"
#include "model/topology/term_kinds.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::replicas {

/// Bound for a force component that is rounded by one addition [kJ/mol/nm]; slightly reduced,
/// because of the rounding of the compared value.
inline constexpr double small_force =
    0.999 * kernels::Mixed::product_limit * kernels::Mixed::force_quantum;

/// Returns "there are ..." for the first kind in this list that the resident form does not compute;
/// empty: it computes all. Compares kinds by name, so unknown kinds are refused.
[[nodiscard]] std::string unsupported_kind(const std::vector<topology::TermKind>& kinds);

}  // namespace nfold::replicas
