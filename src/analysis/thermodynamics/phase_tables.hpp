// Phase-locking matrices as result tables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/result.hpp"

namespace nfold::thermodynamics {

/// Sums of one matrix per state. residues: (phases) see replicas::phase_residues(); sums: (states,
/// 4, pairs) as for phase_matrix(); undefined: (states, phases).
struct PhaseSums {
  std::span<const int> residues;
  std::span<const double> states;
  std::span<const std::int64_t> sums, undefined;
};
/// Returns the tables of the group `phase_locking`.
[[nodiscard]] std::vector<analysis::Result> phase_tables(const PhaseSums& of);

}  // namespace nfold::thermodynamics
