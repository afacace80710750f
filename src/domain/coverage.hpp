// Check for terms that a rank should compute and does not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "comm/communicator.hpp"
#include "core/failure.hpp"
#include "domain/local_topology.hpp"

namespace nfold::domain {

/// Term that an owner of one of its residues does not compute, or computes twice.
class CoverageError : public core::Failure {
 public:
  explicit CoverageError(const std::string& message)
      : core::Failure(message, core::Outcome::failure, core::Reach::all_ranks) {}
};

/// Ends of terms, by kind, that a rank computes and whose residues it owns.
using CoveredEnds = std::array<std::int64_t, term_kinds>;
[[nodiscard]] CoveredEnds covered_ends(const topology::Topology& topology, const Ownership& owner,
                                       const LocalTerms& computed, int rank);

/// Checks that every term is computed exactly once by each rank that owns one of its residues.
/// Costs one sum of a few numbers if all is well. covered: covered_ends() of this rank. Throws
/// CoverageError with the term's name on all ranks. Collective.
void check_coverage(const comm::Communicator& communicator, const topology::Topology& topology,
                    const Ownership& owner, const LocalTerms& computed, CoveredEnds covered);

}  // namespace nfold::domain
