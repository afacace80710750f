// Finds a term that a rank should compute and does not, before it spoils a trajectory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

#include "comm/communicator.hpp"
#include "domain/local_topology.hpp"

namespace nfold::domain {

/// A term that some owner of its residues does not compute, or computes twice.
class CoverageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// By kind: ends of terms that a rank computes and whose residues it owns.
using CoveredEnds = std::array<std::int64_t, term_kinds>;
[[nodiscard]] CoveredEnds covered_ends(const topology::Topology& topology, const Ownership& owner,
                                       const LocalTerms& computed, int rank);

/// Collective: every term must be computed exactly once by each rank that owns one of its residues.
/// Costs one sum of a few numbers when all is well. Throws CoverageError on all ranks alike, naming
/// the term.
void check_coverage(const comm::Communicator& communicator, const topology::Topology& topology,
                    const Ownership& owner, const LocalTerms& computed);
/// The same with what was counted beforehand.
void check_coverage(const comm::Communicator& communicator, const topology::Topology& topology,
                    const Ownership& owner, const LocalTerms& computed, CoveredEnds covered);

}  // namespace nfold::domain
