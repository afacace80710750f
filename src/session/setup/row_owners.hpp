// Rows of a table by owning rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analysis/sparse_counts.hpp"
#include "comm/communicator.hpp"

namespace nfold::setup {

/// Collective: sends the counts that all ranks found to the owners of their rows, by
/// analysis::rows_of_share(). Returns the entries of this rank's rows.
[[nodiscard]] std::vector<analysis::SparseCounts::Entry> gather_own_rows(
    const comm::Communicator& communicator, int rows, const analysis::SparseCounts& found);

}  // namespace nfold::setup
