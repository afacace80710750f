// What the resident form of replicas computes, by name; it refuses all else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/arithmetic/fixed_point.hpp"
#include "replicas/replica_set.hpp"
#include "topology/term_kinds.hpp"

namespace nfold::replicas {

/// Below it a component of a force is rounded by one addition [kJ/mol/nm]; a little less, for the
/// rounding of what it is compared with.
inline constexpr double small_force =
    0.999 * kernels::Mixed::product_limit * kernels::Mixed::force_quantum;

/// "there are ..." of the first kind in this list that the resident form does not compute at this
/// place; empty: it computes all. Kinds are compared by name, so it refuses one it does not know.
[[nodiscard]] std::string kind_not_resident(const std::vector<topology::TermKind>& kinds,
                                            ReplicaPlace place);

}  // namespace nfold::replicas
