// Finds a term that a rank should compute and does not, before it spoils a trajectory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "comm/communicator.hpp"
#include "domain/local_topology.hpp"

namespace nfold::domain {

/// A term that some owner of its residues does not compute, or computes twice.
class CoverageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collective: every term must be computed exactly once by each rank that owns one of its residues.
/// Costs one sum of a few numbers when all is well. Throws CoverageError on all ranks alike, naming
/// the term.
void check_coverage(const comm::Communicator& communicator, const topology::Topology& topology,
                    const Ownership& owner, const LocalTerms& computed);

}  // namespace nfold::domain
